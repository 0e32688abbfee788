import { createTurns } from "../decide/turn/turn-meeting.js";
import { createDrillIn } from "../drill-in/drill-in.js";
import { createLifetime } from "../store/lifetime/lifetime.js";
import { createMeasure } from "../measure/measure.js";
import type { OffloadOptions } from "../options/options.js";
import { applyOverrides, resolveOptions } from "../options/resolve.js";
import { ownToolNames, resolveToolNames } from "../options/tools.js";
import { type CoreParts, createPluginHost } from "../plugin-host/plugin-host.js";
import { scopeOf } from "../store/naming.js";
import type { StoredArtifact } from "../types/artifact.js";
import { emit, type Notify, type OffloadEvent, type OffloadListener } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import { createAccess } from "./access.js";
import type { Call } from "./call.js";
import { createDoors } from "./doors/doors.js";
import { createKeepResult } from "./enter/keep-result.js";
import { createStats } from "./observe/stats.js";
import { tellOnce } from "./observe/tell-once.js";
import { warnOfFailures } from "./observe/warn-of-failures.js";
import { type Offloader, withInternals } from "./offloader.js";
import { createPipeline } from "./pipeline.js";
import { createRecoveries } from "./recover.js";
import { createSteps } from "./steps.js";
import { turnLimitsOf } from "./turn-limits-of.js";
import { createKeeping } from "./store-and-describe.js";

/**
 * What `createOffloader` makes, for any factory.
 *
 * @param factory - What the caller has called: errors speak of its options.
 * @param adjusted - What holds in the caller's protocol, of options that are checked and merged.
 */
export function offloaderFor(
  factory: string,
  given: OffloadOptions,
  adjusted?: (options: OffloadOptions) => OffloadOptions,
): Offloader {
  const resolved = resolveOptions(given, factory, adjusted);
  const { store, now, perTool } = resolved;
  const stats = createStats();
  const onEvent = resolved.onEvent ?? warnOfFailures();
  const notify: Notify = tellOnce((event, detail = {}) => {
    stats.listener(event);
    host.onEvent(event, detail);
    emit(onEvent, event);
  });
  const measure = createMeasure(resolved);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const turns = createTurns();
  const core: CoreParts = {
    store,
    now,
    countTokens: count,
    put: async (value, { call, toolName, ...about }) =>
      await pipeline.keepMade({ value, ...about }, { ...call, toolName }),
    find: async (reference, call) => (await drillIn.find(reference, call)).storedArtifact,
    storeEncoded: (...stored) => pipeline.storeEncoded(...stored),
    offloadUser: (message) => pipeline.offloadUser(message),
    isCleaned: () => host.clean !== undefined,
    drillIns: () => drillIn.context,
    limits: resolved.drillInLimits,
    keepAsCame: (result) => keepResult(result),
  };
  const host = createPluginHost({
    plugins: resolved.plugins,
    settings: new Map(
      [...perTool].flatMap(([toolName, { ofPlugins }]) =>
        ofPlugins ? [[toolName, ofPlugins]] : [],
      ),
    ),
    notify,
    api: core,
  });
  const toolNames = resolveToolNames(resolved, host.tools);
  const options = { ...resolved, toolNames };

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
    whileHeld: (storedArtifact) => {
      drillIn.remember(storedArtifact);
      host.onEvent({ type: "expired", specName: "OffloadFileExpired", storedArtifact }, {});
    },
    onExpired: tellingExpired(onEvent),
  });
  const drillIn = createDrillIn({
    ...resolved,
    measure,
    limits: resolved.drillInLimits,
    shapes: resolved.toolShapes,
    names: toolNames,
    onRead: lifetime.used,
    tools: host.tools,
    clean:
      host.clean &&
      (async (text, toolName) => (await host.clean?.(text, { toolName, part: "output" })) ?? text),
    onEvent: notify,
    onAnswer: ({ tool, name = tool, call, ...answer }) => {
      const event: OffloadEvent = { type: "drilled-in", tool: name, ...answer };
      if (call === undefined) notify(event);
      else {
        const { args, toolCallId, text } = call;
        notify(event, { args, toolCallId, answerBytes: Buffer.byteLength(text) });
      }
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
    cleanerOf: host.cleanerOf,
  });
  const keeping = createKeeping({
    store,
    toolNames,
    partsOf: host.describe,
    count,
    outlineElsewhere: (document) => drillIn.context.jq().outline(document),
    now,
    lifetime,
    onKept,
  });

  const recoveries = createRecoveries({ measure, storeName: store.name });
  const doors = createDoors({
    measure,
    selection: resolved,
    turnLimits: resolved.turnBudget && turnLimitsOf(resolved.turnBudget, measure),
    countsBytes: typeof resolved.tokenizer !== "function",
    recoveries,
  });
  const { countOutput } = stats;
  const steps = createSteps({ resolved, count, countOutput, keeping, lifetime });

  function optionsOf({ toolName, overrides }: ToolOutput): Call["options"] {
    return applyOverrides(perTool.get(toolName) ?? resolved, overrides);
  }

  const pipeline = createPipeline({
    host,
    steps,
    doors,
    recoveries,
    optionsOf,
    ownTools: new Set(ownToolNames(options)),
    turns,
    notify,
  });

  const offloader: Offloader = {
    offload: pipeline.offload,
    offloadAll: pipeline.offloadAll,
    put: pipeline.put,
    drillIn,
    store,
    options,
    stats: (sessionId) => stats.stats(sessionId === undefined ? undefined : scopeOf(sessionId)),
    sweep: () => lifetime.sweep(),
    endSession: async (sessionId) => {
      const scope = scopeOf(sessionId);
      keeping.forget(scope);
      await host.endSession(scope);
      await drillIn.forget(scope);
      return await lifetime.endSession(sessionId);
    },
    close: async () => {
      turns.close();
      await Promise.all([drillIn.close(), lifetime.close()]);
      await host.close();
    },
  };
  return withInternals(offloader, {
    turns,
    toolsShown(sessionId, definitionTokens) {
      const scope = scopeOf(sessionId);
      if (stats.shownTokens(scope) === definitionTokens) return;
      notify({ type: "tools-shown", scope, definitionTokens });
    },
    admits: (output) => doors.toolResult.admits(output, optionsOf(output)),
    host,
    notify,
    core,
    accessOf: createAccess(resolved.access, notify),
    report: drillIn.report,
    used: lifetime.used,
  });
}

/** Here, because a function in there would hold the offloader. */
function tellingExpired(onEvent: OffloadListener): (storedArtifact: StoredArtifact) => void {
  return (storedArtifact) =>
    emit(onEvent, { type: "expired", specName: "OffloadFileExpired", storedArtifact });
}
