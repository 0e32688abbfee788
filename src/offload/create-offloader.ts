import { tmpdir } from "node:os";

import { StreamFault } from "../content/stream/held-stream.js";
import { createTurnLimits } from "../decide/turn/turn-limits.js";
import { createTurns } from "../decide/turn/turn-meeting.js";
import { leastForm } from "../describe/forms/short-forms.js";
import { headAndTail } from "../describe/head-and-tail.js";
import { createDrillIn } from "../drill-in/drill-in.js";
import { OffloadError } from "../errors.js";
import type { OffloadListener } from "../events.js";
import { endSession } from "../lifecycle/end-session.js";
import { createRetention } from "../lifecycle/retention.js";
import { startSweeper, type Sweeper } from "../lifecycle/sweeper.js";
import { createMeasure } from "../measure/measure.js";
import { combineListeners } from "../observe/combine-listeners.js";
import { createStats } from "../observe/stats.js";
import { tellOnce } from "../observe/tell-once.js";
import type { OffloadOptions } from "../options/options.js";
import { ownToolNames, resolveOptions } from "../options/resolve-options.js";
import { pause } from "../util/pause.js";
import { applyOverrides } from "../options/overrides.js";
import { createResolver } from "../references/resolve.js";
import { scopeOf } from "../store/naming.js";
import type { OffloadResult, ToolOutput } from "../types.js";
import type { Call } from "./call.js";
import { createDoors, doorOf } from "./doors.js";
import { offloadAll } from "./offload-turn.js";
import type { Offloader } from "./offloader.js";
import { openPayload } from "./payload.js";
import { createPut } from "./put.js";
import { createRecoveries } from "./recover.js";
import { shorten } from "./shorten.js";
import { createKeeping } from "./store-and-describe.js";
import { type Steps, walk } from "./walk.js";

export type { Offloader } from "./offloader.js";

/** Stands for the id of a stored output. */
const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CLOSED =
  "This offloader is closed: nothing sweeps what it would store. Make a new one, or close it later.";

/**
 * Makes the walk `content -> measure -> decide -> store -> describe` with the given options.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  const resolved = resolveOptions(given);
  const { store, toolNames, references, now, perSession, perStore, perTool } = resolved;
  const stats = createStats();
  const notifyAll = tellOnce(
    combineListeners(stats.listener, ...(resolved.onEvent ? [resolved.onEvent] : [])),
  );
  const measure = createMeasure(resolved.measure);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const turns = createTurns();
  const ownTools = new Set(ownToolNames(resolved));
  let sweeper: Sweeper | undefined;
  let isClosed = false;
  let underWay = 0;

  const drillIn = createDrillIn({
    store,
    measure,
    limits: resolved.drillInLimits,
    spool: resolved.spool,
    sql: resolved.sql,
    shapes: resolved.toolShapes,
    names: toolNames,
    now,
    onRead: (artifact) => retention.used(artifact),
    onAnswer: ({ tool, name = tool, ...answer }) =>
      notifyAll({ type: "drilled-in", tool: name, ...answer }),
  });
  const resolve = createResolver(drillIn.context, (info) =>
    notifyAll({ type: "referenced", ...info }),
  );
  const retention = createRetention({
    store,
    now,
    perSession,
    perStore,
    refreshMs: ({ toolName }) => {
      const { refreshOnRead, ttlMs } = perTool.get(toolName) ?? resolved;
      return refreshOnRead ? ttlMs : undefined;
    },
    onEvicted: (storedArtifact) => {
      drillIn.markEvicted(storedArtifact);
      notifyAll({ type: "evicted", storedArtifact });
    },
  });
  const keeping = createKeeping({
    store,
    toolNames,
    references,
    count,
    now,
    checkOpen: () => {
      if (isClosed) throw new OffloadError("STORE_WRITE_FAILED", CLOSED);
    },
    onKept: (artifact) => {
      drillIn.remember(artifact);
      // What was begun before the end may be stored after it, and is swept by whoever comes next.
      if (!isClosed) startSweeps();
      drillIn.warm();
    },
  });

  let least: Promise<number> | undefined;
  const turnLimits =
    resolved.turnBudget &&
    createTurnLimits(resolved.turnBudget, {
      measure,
      leastTokens: () => (least ??= count(leastForm().render(ANY_ID))),
      tokensLeft: async (text, limit) =>
        await count((await headAndTail({ text, limit, count })).text),
    });
  const recoveries = createRecoveries({ measure, storeName: store.name });
  const doors = createDoors({ measure, scope: resolved.scope, turnLimits, recoveries });
  const opening = {
    maxBytes: resolved.streams.maxBytes,
    directory: resolved.spool?.directory ?? tmpdir(),
    count,
  };
  const steps: Steps = {
    hold: async (call) => {
      await ownTurn();
      return await openPayload(call, opening);
    },
    count: ({ output }) => stats.countOutput(scopeOf(output.sessionId)),
    shorten: (call, payload, verdict) => shorten(call, payload, verdict, count),
    async storeAndDescribe(call, encoded, verdict) {
      await ownTurn();
      return await keeping.storeAndDescribe(call, encoded, verdict);
    },
    async offloaded({ output, notify }, { keptBlocks }, { kept, reason, durationMs }) {
      const { storedArtifact, descriptor } = kept;
      await retention.stored(storedArtifact, output.turn);
      const { form, text, tokens: descriptorTokens } = descriptor;
      notify({
        type: "offloaded",
        storedArtifact,
        toolCallId: output.toolCallId,
        reason,
        form,
        descriptorTokens,
        tokensSaved: storedArtifact.tokens - descriptorTokens,
        tokensExact: storedArtifact.tokensExact,
        durationMs,
      });
      return { outcome: "offloaded", text, descriptor, storedArtifact, keptBlocks };
    },
  };

  /** So that the steps of a thousand outputs that come at once do not run in one turn of the event loop. */
  async function ownTurn(): Promise<void> {
    if (underWay > 1) await pause();
  }

  /** `undefined` for an output that is to be left as it is. */
  function admitted(output: ToolOutput, notify: OffloadListener): Call | undefined {
    if (ownTools.has(output.toolName)) return undefined;
    const call = { output, options: optionsOf(output), door: doorOf(output, doors), notify };
    return call.door.admits(output, call.options) ? call : undefined;
  }

  function optionsOf({ toolName, overrides }: ToolOutput): Call["options"] {
    return applyOverrides(perTool.get(toolName) ?? resolved, overrides);
  }

  async function offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult> {
    const notify = onEvent ? combineListeners(notifyAll, onEvent) : notifyAll;
    if (!isOutput(output)) return { outcome: "inline", value: output };
    try {
      underWay += 1;
      const call = admitted(output, notify);
      const result = call && (await walk(call, steps));
      output.seat?.end(true);
      return result ?? { outcome: "inline", value: output.value };
    } catch (error) {
      if (error instanceof StreamFault) throw error.thrown;
      // Whatever is wrong with what came, the call goes on with it.
      return recoveries.passOn(error, output, notify);
    } finally {
      underWay -= 1;
    }
  }

  const put = createPut(async (output, ttlMs) => {
    const options = optionsOf(output);
    const door = output.origin === "user" ? doors.putUserMessage : doors.put;
    const life = { ...options, ttlMs: ttlMs ?? options.ttlMs };
    try {
      return await walk({ output, options: life, door, notify: notifyAll }, steps);
    } catch (error) {
      throw error instanceof StreamFault ? error.thrown : error;
    }
  });

  function startSweeps(): Sweeper {
    sweeper ??= startSweeper({
      store,
      intervalMs: resolved.sweepIntervalMs,
      now,
      onExpired: (storedArtifact) => {
        drillIn.remember(storedArtifact);
        notifyAll({ type: "expired", specName: "OffloadFileExpired", storedArtifact });
      },
    });
    return sweeper;
  }

  return {
    offload,
    offloadAll: (outputs, onEvent) => offloadAll(outputs, { turns, offload }, onEvent),
    put,
    turns,
    toolsShown(sessionId, definitionTokens) {
      const scope = scopeOf(sessionId);
      if (stats.shownTokens(scope) === definitionTokens) return;
      notifyAll({ type: "tools-shown", scope, definitionTokens });
    },
    drillIn,
    resolve,
    store,
    options: resolved,
    stats: (sessionId) => stats.stats(sessionId === undefined ? undefined : scopeOf(sessionId)),
    sweep: async () => await startSweeps().sweep(),
    endSession: async (sessionId) => {
      const scope = scopeOf(sessionId);
      keeping.forget(scope);
      retention.forget(scope);
      await drillIn.forget(scope);
      return await endSession(store, sessionId);
    },
    close: async () => {
      isClosed = true;
      turns.close();
      await Promise.all([drillIn.close(), sweeper?.close()]);
    },
  };
}

/** From code without types anything may come. */
function isOutput(given: unknown): given is ToolOutput {
  return typeof given === "object" && given !== null;
}
