import { createTurns } from "../decide/turn/turn-meeting.js";
import { isAuto, takesAny } from "../describe/references.js";
import { createDrillIn } from "../drill-in/drill-in.js";
import type { OffloadEvent, OffloadListener } from "../types/events.js";
import { besideAnswer } from "../../plugins/journal/event-entry.js";
import { createRecorder } from "../../plugins/journal/recorder.js";
import { createLifetime } from "../store/lifetime/lifetime.js";
import { createMeasure } from "../measure/measure.js";
import { combineListeners } from "./observe/combine-listeners.js";
import { createStats } from "./observe/stats.js";
import { warnOfFailures } from "./observe/warn-of-failures.js";
import { tellOnce } from "./observe/tell-once.js";
import type { OffloadOptions } from "../options/options.js";
import { applyOverrides } from "../options/overrides.js";
import { ownToolNames, resolveOptions } from "../options/resolve-options.js";
import { createResolver } from "../../plugins/references/resolve.js";
import { scopeOf } from "../store/naming.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ToolOutput } from "../types/output.js";
import { keepLatest } from "../../util/keep-latest.js";
import { createAccess } from "./access.js";
import type { Call } from "./call.js";
import { createDoors } from "./doors/doors.js";
import { createAdmit } from "./enter/admit.js";
import { createOffloadOne } from "./enter/offload-one.js";
import { offloadRecorded } from "./enter/offload-recorded.js";
import { offloadAll } from "./enter/offload-turn.js";
import { createKeepMade } from "./enter/keep-made.js";
import { createKeepResult } from "./enter/keep-result.js";
import { createKeepMedia, keepBlocks } from "./media/keep-media.js";
import { walkWithMedia } from "./media/walk-media.js";
import { createPut } from "./enter/put.js";
import { type Offloader, withInternals } from "./offloader.js";
import { createRecoveries } from "./recover.js";
import { createSteps } from "./steps.js";
import { turnLimitsOf } from "./turn-limits-of.js";
import { createKeeping } from "./store-and-describe.js";
import { redactedWalk } from "./enter/walk-redacted.js";
import { walk as plainWalk } from "./walk.js";

/** Sessions of which it is known that their tools take references; of one used again it is told again. */
const MAX_SCOPES = 10_000;

/**
 * What `createOffloader` makes, for any factory.
 *
 * @param factory - What the caller has called: errors speak of its options.
 */
export function offloaderFor(factory: string, given: OffloadOptions): Offloader {
  const resolved = resolveOptions(given, factory);
  const { store, toolNames, references, now, perTool } = resolved;
  const stats = createStats();
  const recorder =
    resolved.journal &&
    createRecorder({ ...resolved, journal: resolved.journal, hasTexts: store.bodies !== "sealed" });
  const told = [stats.listener, recorder?.listener, resolved.onEvent ?? warnOfFailures()];
  const notify = tellOnce(combineListeners(...told.filter((one) => one !== undefined)));
  const measure = createMeasure(resolved.measure);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const turns = createTurns();
  const ownTools = new Set(ownToolNames(resolved));
  /** Whether the tools that a session's model was shown last take references. */
  const referring = new Map<string, boolean>();
  /** Nothing is said of references where no tool takes any; of tools that are not known only those say it that are named. */
  const referencesIn = (scope: string): typeof references =>
    (referring.get(scope) ?? !isAuto(references)) ? references : undefined;

  const lifetime = createLifetime({
    ...resolved,
    refreshMs: ({ toolName }) => {
      const { refreshOnRead, ttlMs } = perTool.get(toolName) ?? resolved;
      return refreshOnRead ? ttlMs : undefined;
    },
    onEvicted: (storedArtifact) => {
      drillIn.markEvicted(storedArtifact);
      notify({ type: "evicted", storedArtifact });
    },
    whileHeld: (storedArtifact) => drillIn.remember(storedArtifact),
    onExpired: tellingExpired(notify),
  });
  const drillIn = createDrillIn({
    ...resolved,
    measure,
    limits: resolved.drillInLimits,
    shapes: resolved.toolShapes,
    names: toolNames,
    takesReferences: (scope) => takesAny(referencesIn(scope)),
    onRead: lifetime.used,
    keep: (...made) => keepMade(...made),
    onEvent: notify,
    onAnswer: ({ tool, name = tool, call, ...answer }) => {
      const event: OffloadEvent = { type: "drilled-in", tool: name, ...answer };
      if (call) recorder?.beside(event, besideAnswer(call));
      notify(event);
    },
  });
  const onKept = (artifact: StoredArtifact): void => {
    lifetime.begin(artifact.expiresAt);
    drillIn.remember(artifact);
    drillIn.warm();
  };
  const keepResult = createKeepResult({
    store,
    measure,
    lifetime,
    optionsOf,
    onKept,
    notify,
    now,
    redact: resolved.redact,
  });
  const keeping = createKeeping({
    store,
    toolNames,
    references: referencesIn,
    count,
    now,
    lifetime,
    onKept,
  });

  const recoveries = createRecoveries({ measure, storeName: store.name });
  const turnLimits = resolved.turnBudget && turnLimitsOf(resolved.turnBudget, measure);
  const doors = createDoors({
    measure,
    scope: resolved.scope,
    turnLimits,
    countsBytes: typeof resolved.measure.tokenizer !== "function",
    recoveries,
  });
  const steps = createSteps({
    resolved,
    count,
    countOutput: stats.countOutput,
    keeping,
    lifetime,
    beside: recorder?.beside,
  });

  function optionsOf({ toolName, overrides }: ToolOutput): Call["options"] {
    return applyOverrides(perTool.get(toolName) ?? resolved, overrides);
  }

  const admitted = createAdmit({ doors, optionsOf, ownTools, recorder });
  const redacted = resolved.redact === undefined ? plainWalk : redactedWalk(resolved.redact);
  const keepMedia =
    resolved.media && createKeepMedia({ ...resolved, media: resolved.media, steps });
  const walk = keepMedia === undefined ? redacted : walkWithMedia(redacted, keepMedia);
  const offloadOne = createOffloadOne({ steps, walk, recoveries, admitted, notify });
  const offload = recorder ? offloadRecorded(offloadOne, recorder, ownTools) : offloadOne;
  const put = createPut(async (output, ttlMs) => {
    const options = { ...optionsOf(output), ...(ttlMs !== undefined && { ttlMs }) };
    const door = output.origin === "user" ? doors.putUserMessage : doors.put;
    const scope = scopeOf(output.sessionId);
    return await walk({ output, scope, options, door, notify }, steps);
  });

  const keepMade = createKeepMade(async (output, { scope, onEvent }) => {
    const listeners = onEvent ? combineListeners(notify, onEvent) : notify;
    const call = { output, scope, options: optionsOf(output), door: doors.put };
    return await walk({ ...call, notify: listeners }, steps);
  });

  const offloader: Offloader = {
    offload,
    offloadAll: (outputs, onEvent) => offloadAll(outputs, { turns, offload }, onEvent),
    put,
    drillIn,
    store,
    options: resolved,
    stats: (sessionId) => stats.stats(sessionId === undefined ? undefined : scopeOf(sessionId)),
    sweep: () => lifetime.sweep(),
    endSession: async (sessionId) => {
      const scope = scopeOf(sessionId);
      keeping.forget(scope);
      await drillIn.forget(scope);
      return await lifetime.endSession(sessionId);
    },
    close: async () => {
      turns.close();
      await Promise.all([drillIn.close(), lifetime.close()]);
      await recorder?.flush();
    },
  };
  return withInternals(offloader, {
    turns,
    toolsShown(sessionId, { definitionTokens, takeReferences }) {
      const scope = scopeOf(sessionId);
      keepLatest(referring, scope, takeReferences, MAX_SCOPES);
      if (stats.shownTokens(scope) === definitionTokens) return;
      notify({ type: "tools-shown", scope, definitionTokens });
    },
    admits: (output) => doors.toolResult.admits(output, optionsOf(output)),
    keepResult,
    keepMedia: keepMedia && keepBlocks(keepMedia, (output) => admitted(output, notify)),
    notify,
    drillInContext: drillIn.context,
    accessOf: createAccess(resolved.access, notify),
    resolve: createResolver(drillIn.context, notify),
    report: drillIn.report,
    used: lifetime.used,
    recorder,
  });
}

/** Here, because a function in there would hold the offloader. */
function tellingExpired(notify: OffloadListener): (storedArtifact: StoredArtifact) => void {
  return (storedArtifact) =>
    notify({ type: "expired", specName: "OffloadFileExpired", storedArtifact });
}
