import { tmpdir } from "node:os";

import { isStream } from "./content/output-stream.js";
import { unwrapOutput } from "./content/unwrap.js";
import { decide } from "./decide/decide.js";
import { contextOf, smallestLimits } from "./decide/gate.js";
import { inScope } from "./decide/scope.js";
import { createTurns, type Turns } from "./decide/turn-meeting.js";
import { roomInWindow } from "./decide/window-room.js";
import { createDrillIn, type DrillIn } from "./drill-in/drill-in.js";
import type { OffloadListener } from "./events.js";
import { combineListeners } from "./lifecycle/combine-listeners.js";
import { endSession } from "./lifecycle/end-session.js";
import { createStats, type Stats } from "./lifecycle/stats.js";
import { inlineResult } from "./inline-result.js";
import { createKeeper, NothingSaved, tellAnswered } from "./keep-output.js";
import { createRetention } from "./lifecycle/retention.js";
import { startSweeper, type Sweeper } from "./lifecycle/sweeper.js";
import { createMeasure } from "./measure/measure.js";
import { offloadAll } from "./offload-all.js";
import {
  type OffloadOptions,
  type ResolvedOffloadOptions,
  ownToolNames,
  type ResolvedToolOptions,
  resolveOptions,
} from "./options.js";
import { applyOverrides } from "./overrides.js";
import type { ArtifactStore } from "./store/artifact-store.js";
import { type LaidOut, layOutStream, layOutText } from "./store/lay-out.js";
import { scopeOf } from "./store/naming.js";
import { createReplays } from "./store/replays.js";
import { createTruncation } from "./truncation.js";
import { createTurnLimits } from "./turn-limits.js";
import type { OffloadResult, StoredArtifact, ToolOutput } from "./types.js";
import { walkStream } from "./walk-stream.js";
import type { LargeOutput, WalkedOutput } from "./walked-output.js";

/** The walk for tool outputs, and what belongs to it. */
export interface Offloader {
  /**
   * Walks one tool output: small ones come back as the same value, large ones are stored and come
   * back as a descriptor. Never rejects: when an output cannot be stored, it comes back cut to the
   * threshold, and the listeners hear of it. The same output of the same tool and session comes back
   * as the same artifact while that is there, in this process.
   *
   * A stream is read here: as a value it is the joined text or the JSON array of its records. It
   * rejects with what the stream throws, and with the signal's reason, as a tool's fault.
   *
   * @param onEvent - Told of what happens to this output, beside the offloader's own listener.
   */
  offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult>;
  /**
   * Walks all outputs of one turn, which share `decide.turnBudget` whole; the results are in their order.
   * Without that option it is `offload` for each.
   */
  offloadAll(
    outputs: readonly ToolOutput[],
    onEvent?: OffloadListener,
  ): Promise<readonly OffloadResult[]>;
  /** Tells what the definitions of this library's tools add to a session's model calls; for adapters. */
  toolsShown(sessionId: string, definitionTokens: number): void;
  /** Where outputs of one turn wait for each other; for adapters. */
  readonly turns: Turns;
  /** Reads stored outputs for the model. */
  readonly drillIn: DrillIn;
  readonly store: ArtifactStore;
  /** What is effective after defaults. */
  readonly options: ResolvedOffloadOptions;
  /** Running totals of one session, or of all without one. */
  stats(sessionId?: string): Stats;
  /** Deletes what has expired, and returns it. */
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Deletes what a session has stored, and returns it. */
  endSession(sessionId: string): Promise<readonly StoredArtifact[]>;
  /** Ends the workers and the sweep's timer. What is stored stays until it expires. */
  close(): Promise<void>;
}

/** How much of a stream is held at most before it counts as large. */
const MAX_HELD_CHARACTERS = 268_435_456;
const TOO_LONG = "longest stream that is held";
const BEGINNING_ONLY = "[Only the beginning of this stream is here.]";

/**
 * Makes the walk `content -> measure -> decide -> store -> describe` with the given options.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  const resolved = resolveOptions(given);
  const { store, toolNames, references, now, perSession, perStore } = resolved;
  const stats = createStats();
  const notifyAll = combineListeners(
    stats.listener,
    ...(resolved.onEvent ? [resolved.onEvent] : []),
  );
  const measure = createMeasure(resolved.measure);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const truncation = createTruncation({ measure, count, storeName: store.name });
  const turns = createTurns();
  const turnLimits = resolved.turnBudget && createTurnLimits(resolved.turnBudget, measure);
  const drillIn = createDrillIn({
    store,
    measure,
    limits: resolved.drillInLimits,
    ripgrep: resolved.ripgrep,
    spool: resolved.spool,
    sql: resolved.sql,
    shapes: resolved.toolShapes,
    names: toolNames,
    now,
    onRead: (artifact) => retention.used(artifact),
    onAnswer: ({ tool, name = tool, ...answer }) =>
      notifyAll({ type: "drilled-in", tool: name, ...answer }),
    onReference: (info) => notifyAll({ type: "referenced", ...info }),
  });
  const ownTools = new Set(ownToolNames(resolved));
  const replays = createReplays(store);
  const retention = createRetention({
    store,
    now,
    perSession,
    perStore,
    refreshMs: ({ toolName }) => {
      const { refreshOnRead, ttlMs } = resolved.perTool.get(toolName) ?? resolved;
      return refreshOnRead ? ttlMs : undefined;
    },
    onEvicted: (storedArtifact) => {
      drillIn.markEvicted(storedArtifact);
      notifyAll({ type: "evicted", storedArtifact });
    },
  });
  const onStored = (): void => void startSweeps();
  const keep = createKeeper({ store, toolNames, references, count, now, drillIn, onStored });
  let sweeper: Sweeper | undefined;

  async function offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult> {
    const notify = onEvent ? combineListeners(notifyAll, onEvent) : notifyAll;
    const options = optionsOf(output, notify);
    const result = options && (await begin({ output, options, notify }));
    output.seat?.end(true);
    return result ?? { outcome: "inline", value: output.value };
  }

  async function begin(walked: WalkedOutput): Promise<OffloadResult | undefined> {
    const { value } = walked.output;
    const { maxBytes } = resolved.streams;
    return await (isStream(value) ? walkStream(value, walked, { maxBytes, walk }) : walk(walked));
  }

  /** What holds for a tool's output; `undefined` when it is to be left as it is. */
  function optionsOf(output: ToolOutput, notify: OffloadListener): ResolvedToolOptions | undefined {
    const { toolName, overrides } = output;
    try {
      if (ownTools.has(toolName) || !inScope(toolName, resolved.scope)) return undefined;
      const options = applyOverrides(resolved.perTool.get(toolName) ?? resolved, overrides);
      return options.enabled ? options : undefined;
    } catch (error) {
      truncation.reportFailure({ output, notify }, error, "inline");
      return undefined;
    }
  }

  /** `undefined` when what is held of a stream would stay inline, so that more of it has to be read. */
  async function walk(walked: WalkedOutput): Promise<OffloadResult | undefined> {
    const { output, options, notify, rest } = walked;
    const inline: OffloadResult = { outcome: "inline", value: output.value };
    try {
      const set = rest ? undefined : options.selectResultSet?.(output);
      const { text, keptBlocks } = unwrapOutput(output, set);
      if (text === undefined || text === "") return inline;

      const outputBytes = (): number => Buffer.byteLength(text);
      const context = contextOf(output, options.contextWindowTokens, outputBytes);
      const limits = smallestLimits(options.gates, context);
      const { decision, ...decided } = await decide(text, limits, measure, outputBytes);
      if (decision === "inline" && rest && text.length < MAX_HELD_CHARACTERS) return undefined;
      stats.countOutput(scopeOf(output.sessionId));
      const { reason = TOO_LONG, measurement } = decided;
      let large: LargeOutput = { ...walked, text, keptBlocks, measurement, limits, reason };
      if (decision === "inline" && !rest) {
        const leaves = await turnLimits?.leaving(output, text, options);
        if (leaves === undefined) return inlineResult(output, options);
        const counted = { ...measurement, ...(await measure.count(text)) };
        large = { ...large, ...leaves, measurement: counted };
      } else if (turnLimits && options.mode === "truncate") {
        large = { ...large, limits: await turnLimits.cutting(output, options, limits) };
      }
      return options.mode === "truncate" ? await cut(large) : await offloadLarge(large);
    } catch (error) {
      if (rest?.state.fault === undefined)
        truncation.reportFailure({ output, notify }, error, "inline");
      return rest ? { ...inline, value: `${String(output.value)}\n${BEGINNING_ONLY}` } : inline;
    }
  }

  async function cut(large: LargeOutput): Promise<OffloadResult> {
    if (large.rest === undefined) return await truncation.cutByChoice(large);
    const { laidOut, cuttable } = await layOutStream(large.rest, { ...large.options, count });
    await laidOut.close();
    return await truncation.cutByChoice({ ...large, ...cuttable });
  }

  async function offloadLarge(given: LargeOutput): Promise<OffloadResult> {
    const { output, options, rest } = given;
    const startedAt = performance.now();
    let large = given;
    let laidOut: LaidOut | undefined;
    try {
      if (rest === undefined) {
        laidOut = await layOutText(given.text, options.encode);
      } else {
        const directory = resolved.spool?.directory ?? tmpdir();
        const streamed = await layOutStream(rest, { ...options, directory, count });
        ({ laidOut } = streamed);
        large = { ...given, ...streamed.cuttable };
        if (streamed.error !== undefined) throw streamed.error;
      }
      const { ttlMs, describe } = options;
      const call = { ...laidOut, output, form: describe.form, ttlMs, expiresAt: now() + ttlMs };
      const [measured, ready] = [large, laidOut];
      const answered = await replays.once(call, () => keep(measured, ready));
      await retention.stored(answered.storedArtifact, output.turn);
      return tellAnswered(large, answered, startedAt);
    } catch (error) {
      if (rest?.state.fault) throw error;
      if (error instanceof NothingSaved) return inlineResult(output, options);
      if (options.onStoreFailure === "truncate" || rest) {
        const content = rest ? undefined : laidOut?.content;
        const isWithinOwn = large.inlineTokens !== undefined;
        const limits = isWithinOwn
          ? large.limits
          : turnLimits?.failing(output, options, large.limits);
        const limited = { ...large, ...(limits && { limits }) };
        return await truncation.cutAfterFailure(limited, content, error);
      }
      const room = roomInWindow(output.conversation, options.contextWindowTokens);
      if (large.measurement.tokens > (room.tokens?.limitTokens ?? Infinity)) {
        const limited = { ...large, limits: room };
        return await truncation.cutAfterFailure(limited, laidOut?.content, error);
      }
      truncation.reportFailure(large, error, "inline");
      return inlineResult(output, options);
    } finally {
      await laidOut?.close().catch(() => {});
    }
  }

  function startSweeps(): Sweeper {
    sweeper ??= startSweeper({
      store,
      intervalMs: resolved.sweepIntervalMs,
      now,
      onExpired: (storedArtifact) =>
        notifyAll({ type: "expired", specName: "OffloadFileExpired", storedArtifact }),
    });
    return sweeper;
  }

  return {
    offload,
    offloadAll: (outputs, onEvent) => offloadAll(outputs, { turns, offload }, onEvent),
    turns,
    toolsShown(sessionId, definitionTokens) {
      const scope = scopeOf(sessionId);
      if (stats.stats(scope).definitionTokens === definitionTokens) return;
      notifyAll({ type: "tools-shown", scope, definitionTokens });
    },
    drillIn,
    store,
    options: resolved,
    stats: (sessionId) => stats.stats(sessionId === undefined ? undefined : scopeOf(sessionId)),
    sweep: async () => await startSweeps().sweep(),
    endSession: async (sessionId) => {
      const scope = scopeOf(sessionId);
      replays.forget(scope);
      retention.forget(scope);
      await drillIn.forget(scope);
      return await endSession(store, sessionId);
    },
    close: async () => {
      turns.close();
      await Promise.all([drillIn.close(), sweeper?.close()]);
    },
  };
}
