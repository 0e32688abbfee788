import { tmpdir } from "node:os";

import { StreamFault } from "../content/stream/held-stream.js";
import { identifyContent } from "../content/identify.js";
import { streamOf } from "../content/stream/output-stream.js";
import { unwrapOutput } from "../content/unwrap.js";
import { decide, decideToOffload } from "../decide/decide.js";
import { contextOf, smallestLimits } from "../decide/gate.js";
import { inScope } from "../decide/scope.js";
import { createTurns } from "../decide/turn/turn-meeting.js";
import { createDrillIn } from "../drill-in/drill-in.js";
import { OffloadError } from "../errors.js";
import type { OffloadListener } from "../events.js";
import { combineListeners } from "../observe/combine-listeners.js";
import { endSession } from "../lifecycle/end-session.js";
import { createStats } from "../observe/stats.js";
import { inlineResult } from "./inline-result.js";
import { createKeeper, NothingSaved, tellAnswered } from "./keep-output.js";
import { createRetention } from "../lifecycle/retention.js";
import { tellOnce } from "./tell-once.js";
import { startSweeper, type Sweeper } from "../lifecycle/sweeper.js";
import { createMeasure } from "../measure/measure.js";
import { offloadAll } from "./offload-all.js";
import {
  type OffloadOptions,
  ownToolNames,
  type ResolvedToolOptions,
  resolveOptions,
} from "../options/options.js";
import { applyOverrides } from "../options/overrides.js";
import { createPut, putError } from "./put-output.js";
import type { Offloader } from "./offloader.js";
import { type LaidOut, layOutStream, layOutText } from "../store/body/lay-out.js";
import { scopeOf } from "../store/naming.js";
import { createResolver } from "../references/resolve.js";
import { createReplays } from "./repeated-outputs.js";
import { createStay, TOO_LONG } from "./stay-in-window.js";
import { createTruncation } from "./truncation.js";
import { createTurnLimits } from "./turn-limits.js";
import type { Content, OffloadResult, ToolOutput } from "../types.js";
import { walkStream } from "./walk-stream.js";
import type { LargeOutput, WalkedOutput } from "./walked-output.js";

export type { Offloader } from "./offloader.js";

/** How much of a stream is held at most before it counts as large. */
const MAX_HELD_CHARACTERS = 268_435_456;
const CLOSED =
  "This offloader is closed: nothing sweeps what it would store. Make a new one, or close it later.";

/**
 * Makes the walk `content -> measure -> decide -> store -> describe` with the given options.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  const resolved = resolveOptions(given);
  const { store, toolNames, references, now, perSession, perStore } = resolved;
  const stats = createStats();
  const notifyAll = tellOnce(
    combineListeners(stats.listener, ...(resolved.onEvent ? [resolved.onEvent] : [])),
  );
  const measure = createMeasure(resolved.measure);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const truncation = createTruncation({ count, storeName: store.name });
  const stayInWindow = createStay({ measure, count, truncation });
  const turns = createTurns();
  const turnLimits = resolved.turnBudget && createTurnLimits(resolved.turnBudget, measure);
  const drillIn = createDrillIn({
    ...resolved,
    measure,
    limits: resolved.drillInLimits,
    shapes: resolved.toolShapes,
    names: toolNames,
    onRead: (artifact) => retention.used(artifact),
    onAnswer: ({ tool, name = tool, ...answer }) =>
      notifyAll({ type: "drilled-in", tool: name, ...answer }),
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
  // What was begun before the end may be stored after it, and is swept by whoever comes next.
  const onStored = (): void => void (isClosed || startSweeps());
  const keep = createKeeper({ store, toolNames, references, count, now, drillIn, onStored });
  let sweeper: Sweeper | undefined;
  let isClosed = false;

  async function offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult> {
    const notify = onEvent ? combineListeners(notifyAll, onEvent) : notifyAll;
    if (!isOutput(output)) return { outcome: "inline", value: output };
    try {
      const options = optionsOf(output, notify);
      const result = options && (await begin({ output, options, notify }));
      output.seat?.end(true);
      return result ?? { outcome: "inline", value: output.value };
    } catch (error) {
      if (error instanceof StreamFault) throw error.thrown;
      // Whatever is wrong with what came, the call goes on with it.
      const toolName = textOf(fieldOf(output, "toolName")) ?? "";
      const toolCallId = textOf(fieldOf(output, "toolCallId"));
      truncation.reportFailure({ output: { toolName, toolCallId }, notify }, error, "inline");
      return { outcome: "inline", value: fieldOf(output, "value") };
    }
  }

  async function begin(walked: WalkedOutput): Promise<OffloadResult> {
    const { value } = walked.output;
    const { maxBytes } = resolved.streams;
    const stream = streamOf(value);
    if (stream !== undefined) return await walkStream(stream, walked, { maxBytes, walk });
    return (await walk(walked)) ?? { outcome: "inline", value };
  }

  /** What holds for a tool's output; `undefined` when it is to be left as it is. */
  function optionsOf(output: ToolOutput, notify: OffloadListener): ResolvedToolOptions | undefined {
    try {
      const { toolName, origin, always } = output;
      if (ownTools.has(toolName)) return undefined;
      const options = ownOptions(output);
      if (always) return options;
      if (origin === undefined && !inScope(output, resolved.scope)) return undefined;
      return options.enabled ? options : undefined;
    } catch (error) {
      truncation.reportFailure({ output, notify }, error, "inline");
      return undefined;
    }
  }

  function ownOptions({ toolName, overrides }: ToolOutput): ResolvedToolOptions {
    return applyOverrides(resolved.perTool.get(toolName) ?? resolved, overrides);
  }

  /** `undefined` when what is held of a stream would stay inline, so that more of it has to be read. */
  async function walk(walked: WalkedOutput): Promise<OffloadResult | undefined> {
    const { output, options, notify, rest, orThrow } = walked;
    const inline: OffloadResult = { outcome: "inline", value: output.value };
    const isPart = rest !== undefined && !rest.isWhole();
    try {
      const { always, origin } = output;
      const isGiven = rest !== undefined || always === true || origin === "user";
      const set = isGiven ? undefined : await options.selectResultSet?.(output);
      const { text, keptBlocks } = unwrapOutput(output, set);
      if (text === undefined || (text === "" && !always)) return inline;

      const outputBytes = (): number => Buffer.byteLength(text);
      const context = contextOf(output, options.contextWindowTokens, outputBytes);
      const limits = smallestLimits(options.gates, context);
      const { decision, ...decided } = always
        ? await decideToOffload(text, measure)
        : await decide(text, limits, measure, outputBytes);
      if (decision === "inline" && isPart && text.length < MAX_HELD_CHARACTERS) return undefined;
      stats.countOutput(scopeOf(output.sessionId));
      const { reason = TOO_LONG, measurement } = decided;
      let large: LargeOutput = { ...walked, text, keptBlocks, measurement, limits, reason };
      const inTurn = always || origin === "user" ? undefined : turnLimits;
      if (decision === "inline" && !isPart) {
        const leaves = await inTurn?.leaving(output, text, options);
        if (leaves === undefined) return inlineResult(output, options);
        const counted = { ...measurement, ...(await measure.count(text)) };
        large = { ...large, ...leaves, measurement: counted };
      } else if (inTurn && options.mode === "truncate") {
        const isWhole = !isPart;
        large = {
          ...large,
          limits: await inTurn.cutting(output, options, limits, { text, isWhole }),
        };
      }
      if (always || options.mode === "artifact") return await offloadLarge(large);
      return origin === "user" ? inline : await cut(large);
    } catch (error) {
      if (orThrow) {
        if (rest?.state.fault) throw error;
        truncation.reportFailure({ output, notify }, error, "rejected");
        throw putError(error);
      }
      // The reader of a stream is told of its fault.
      if (rest?.state.fault) return inline;
      return await stayInWindow(walked, error);
    }
  }

  async function cut(large: LargeOutput): Promise<OffloadResult> {
    if (large.rest === undefined || large.rest.isWhole())
      return await truncation.cutByChoice(large, await contentOf(large));
    const { nextPage } = large.output;
    const { laidOut, cuttable } = await layOutStream(large.rest, {
      ...large.options,
      count,
      nextPage,
    });
    await laidOut.close();
    return await truncation.cutByChoice({ ...large, ...cuttable }, laidOut.content);
  }

  async function offloadLarge(given: LargeOutput): Promise<OffloadResult> {
    const { output, options, rest } = given;
    const startedAt = performance.now();
    const isPart = rest !== undefined && !rest.isWhole();
    let large = given;
    let laidOut: LaidOut | undefined;
    try {
      if (rest === undefined) {
        laidOut = await layOutText(given.text, options.encode, output.nextPage);
      } else {
        const directory = resolved.spool?.directory ?? tmpdir();
        const { nextPage } = output;
        const streamed = await layOutStream(rest, { ...options, directory, count, nextPage });
        ({ laidOut } = streamed);
        if (isPart) large = { ...given, ...streamed.cuttable };
        if (streamed.error !== undefined) throw streamed.error;
      }
      if (isClosed) throw new OffloadError("STORE_WRITE_FAILED", CLOSED);
      const { ttlMs, describe } = options;
      const call = { ...laidOut, output, form: describe.form, ttlMs, expiresAt: now() + ttlMs };
      const [measured, ready] = [large, laidOut];
      const answered = await replays.once(call, () => keep(measured, ready));
      await retention.stored(answered.storedArtifact, output.turn);
      return tellAnswered(large, answered, startedAt);
    } catch (error) {
      if (rest?.state.fault || given.orThrow) throw error;
      if (error instanceof NothingSaved) return inlineResult(output, options);
      if (output.origin === "user") {
        truncation.reportFailure(large, error, "inline");
        return { outcome: "inline", value: output.value };
      }
      if (options.onStoreFailure === "truncate" || isPart) {
        const content = laidOut?.content;
        const isWithinOwn = large.inlineTokens !== undefined;
        const limits = isWithinOwn
          ? large.limits
          : turnLimits?.failing(output, options, large.limits);
        const limited = { ...large, ...(limits && { limits }) };
        return await truncation.cutAfterFailure(limited, content, error);
      }
      // A selected set is no part of what stays.
      const content = options.selectResultSet ? undefined : laidOut?.content;
      return await stayInWindow(large, error, content);
    } finally {
      await laidOut?.close().catch(() => {});
    }
  }

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

  const put = createPut({
    optionsOf: ownOptions,
    walk: async (walked) => {
      try {
        return await begin({ ...walked, notify: notifyAll, orThrow: true });
      } catch (error) {
        throw error instanceof StreamFault ? error.thrown : error;
      }
    },
  });

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
    resolve: createResolver(drillIn.context, notifyAll),
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
      isClosed = true;
      turns.close();
      await Promise.all([drillIn.close(), sweeper?.close()]);
    },
  };
}

async function contentOf({ text, output: { nextPage } }: LargeOutput): Promise<Content> {
  return { ...(await identifyContent(text)), nextPage };
}

/** What came, where even to look at it may throw. */
function fieldOf(output: ToolOutput, name: keyof ToolOutput): unknown {
  try {
    return output[name];
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** From code without types anything may come. */
function isOutput(given: unknown): given is ToolOutput {
  return typeof given === "object" && given !== null;
}
