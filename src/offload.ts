import { identifyContent } from "./content/identify.js";
import { memoriesOf } from "./content/mif/memories-of.js";
import { unwrapOutput } from "./content/unwrap.js";
import { decide } from "./decide/decide.js";
import { type InlineLimits, smallestLimits } from "./decide/gate.js";
import { inScope } from "./decide/scope.js";
import { roomInWindow } from "./decide/window-room.js";
import { describeArtifact, type DescribeInput } from "./describe/describe.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "./describe/memory.js";
import { profileRecords } from "./describe/profile.js";
import { recipesFor } from "./describe/recipes.js";
import { createDrillIn, type DrillIn } from "./drill-in/drill-in.js";
import type { OffloadListener } from "./events.js";
import { combineListeners } from "./lifecycle/combine-listeners.js";
import { endSession } from "./lifecycle/end-session.js";
import { createStats, type Stats } from "./lifecycle/stats.js";
import { startSweeper, type Sweeper } from "./lifecycle/sweeper.js";
import { createMeasure } from "./measure/measure.js";
import {
  type OffloadOptions,
  type ResolvedOffloadOptions,
  ownToolNames,
  type ResolvedToolOptions,
  resolveOptions,
} from "./options.js";
import { applyOverrides } from "./overrides.js";
import type { ArtifactStore } from "./store/artifact-store.js";
import { type EncodedContent, encodeContent } from "./store/encode.js";
import { operationOf, scopeOf } from "./store/naming.js";
import { newArtifact } from "./store/new-artifact.js";
import { createReplays, type AnsweredCall } from "./store/replays.js";
import { createTruncation } from "./truncation.js";
import type { Content, Measurement, OffloadResult, StoredArtifact, ToolOutput } from "./types.js";

/** The walk for tool outputs, and what belongs to it. */
export interface Offloader {
  /**
   * Walks one tool output: small ones come back as the same value, large ones are stored and come
   * back as a descriptor. Never rejects: when an output cannot be stored, it comes back cut to the
   * threshold, and the listeners hear of it. A call that runs again in this process with the same
   * output comes back as the same artifact while that is there.
   *
   * @param onEvent - Told of what happens to this output, beside the offloader's own listener.
   */
  offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult>;
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

/** An output on its way, once it is known to leave the context. */
interface LargeOutput {
  readonly output: ToolOutput;
  readonly text: string;
  readonly keptBlocks: readonly unknown[];
  readonly measurement: Measurement;
  readonly limits: InlineLimits;
  readonly options: ResolvedToolOptions;
  /** Tells all listeners. */
  readonly notify: OffloadListener;
}

/**
 * Makes the walk `content -> measure -> decide -> store -> describe` with the given options.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  const resolved = resolveOptions(given);
  const { store, toolNames, now } = resolved;
  const stats = createStats();
  const notifyAll = combineListeners(
    stats.listener,
    ...(resolved.onEvent ? [resolved.onEvent] : []),
  );
  const measure = createMeasure(resolved.measure);
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const truncation = createTruncation({ measure, count, storeName: store.name });
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
    onAnswer: ({ tool, name = tool, ...answer }) =>
      notifyAll({ type: "drilled-in", tool: name, ...answer }),
    onReference: (info) => notifyAll({ type: "referenced", ...info }),
  });
  const ownTools = new Set(ownToolNames(resolved));
  const replays = createReplays(store);
  let sweeper: Sweeper | undefined;

  async function offload(output: ToolOutput, onEvent?: OffloadListener): Promise<OffloadResult> {
    const notify = onEvent ? combineListeners(notifyAll, onEvent) : notifyAll;
    const inline: OffloadResult = { outcome: "inline", value: output.value };
    try {
      const { toolName } = output;
      if (ownTools.has(toolName) || !inScope(toolName, resolved.scope)) return inline;
      const options = applyOverrides(resolved.perTool.get(toolName) ?? resolved, output.overrides);
      if (!options.enabled) return inline;
      const { text, keptBlocks } = unwrapOutput(output, options.selectResultSet?.(output));
      if (text === undefined || text === "") return inline;

      const { conversation } = output;
      const outputBytes = (): number => Buffer.byteLength(text);
      const limits = smallestLimits(options.gates, {
        toolName,
        args: output.args ?? {},
        outputBytes,
        // Counted only for a gate that asks.
        get conversationTokens() {
          return conversation?.tokens;
        },
        get contextWindowTokens() {
          return options.contextWindowTokens ?? conversation?.contextWindowTokens;
        },
      });
      const { decision, measurement } = await decide(text, limits, measure, outputBytes);
      stats.countOutput(scopeOf(output.sessionId));
      if (decision === "inline") return inlineResult(output, options);
      const large = { output, text, keptBlocks, measurement, limits, options, notify };
      return options.mode === "truncate"
        ? await truncation.cutByChoice(large)
        : await offloadLarge(large);
    } catch (error) {
      truncation.reportFailure({ output, notify }, error, "inline");
      return inline;
    }
  }

  async function offloadLarge(large: LargeOutput): Promise<OffloadResult> {
    const { output, text, options } = large;
    const startedAt = performance.now();
    let content: Content | undefined;
    try {
      content = await identifyContent(text);
      const scored = options.encode === "as-came" ? undefined : await memoriesOf(content);
      content = scored?.content ?? content;
      const encoded = await encodeContent(content, text, options.encode);
      const { body } = encoded.content;
      const answered = await replays.once({ output, body, form: options.describe.form }, () =>
        storeAndDescribe(large, encoded, scored?.scoreRange),
      );
      return tellAnswered(large, answered, startedAt);
    } catch (error) {
      if (options.onStoreFailure === "truncate") {
        return await truncation.cutAfterFailure(large, content, error);
      }
      const room = roomInWindow(output.conversation, options.contextWindowTokens);
      if (large.measurement.tokens > (room.tokens?.limitTokens ?? Infinity)) {
        return await truncation.cutAfterFailure({ ...large, limits: room }, content, error);
      }
      truncation.reportFailure(large, error, "inline");
      return inlineResult(output, options);
    }
  }

  async function storeAndDescribe(
    { output, text, measurement, options }: LargeOutput,
    { content, header }: EncodedContent,
    scoreRange: DescribeInput["scoreRange"],
  ): Promise<AnsweredCall> {
    const { describer, recipes: makeRecipes = recipesFor, ...form } = options.describe;
    const profile = content.records && (await profileRecords(content));
    const operation = operationOf(output.toolName);
    const detail = detailOf({ operation, args: output.args, profile });
    const { artifact, body } = newArtifact({
      output,
      content,
      header,
      fileName: options.fileName,
      measurement,
      operation,
      detail,
      schemaVersion: profile && isMemorySet(profile) ? MEMORY_SCHEMA_VERSION : "none",
      recipes: profile ? makeRecipes(content, profile, detail) : [],
      fields: profile?.fields.map((field) => field.name) ?? [],
      nowMs: now(),
      ttlMs: options.ttlMs,
    });
    const storedArtifact = await store.put(artifact, body);
    try {
      startSweeps();
      drillIn.remember(storedArtifact);
      drillIn.warm();
      const { references } = resolved;
      const input = {
        storedArtifact,
        content,
        profile,
        tools: toolNames,
        references,
        count,
        text,
        scoreRange,
      };
      const descriptor = await (describer ? describer(input) : describeArtifact(input, form));
      return { storedArtifact, descriptor };
    } catch (error) {
      await store.delete(storedArtifact.id, storedArtifact.scope).catch(() => false);
      throw error;
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
    drillIn,
    store,
    options: resolved,
    stats: (sessionId) => stats.stats(sessionId === undefined ? undefined : scopeOf(sessionId)),
    sweep: async () => await startSweeps().sweep(),
    endSession: async (sessionId) => {
      const scope = scopeOf(sessionId);
      replays.forget(scope);
      await drillIn.forget(scope);
      return await endSession(store, sessionId);
    },
    close: async () => {
      await Promise.all([drillIn.close(), sweeper?.close()]);
    },
  };
}

/** The output as it came, or as a preset wraps it; a selected result set is no part of it. */
function inlineResult(output: ToolOutput, { describe }: ResolvedToolOptions): OffloadResult {
  const inline: OffloadResult = { outcome: "inline", value: output.value };
  if (describe.wrapInline === undefined) return inline;
  const { text, keptBlocks } = unwrapOutput(output);
  return text === undefined ? inline : { ...inline, text: describe.wrapInline(text), keptBlocks };
}

/** Tells the listeners, and hands over what the model sees. */
function tellAnswered(
  large: LargeOutput,
  answered: AnsweredCall,
  startedAt: number,
): OffloadResult {
  const { storedArtifact, descriptor } = answered;
  large.notify({
    type: "offloaded",
    storedArtifact,
    form: descriptor.form,
    descriptorTokens: descriptor.tokens,
    tokensSaved: storedArtifact.tokens - descriptor.tokens,
    tokensExact: storedArtifact.tokensExact,
    durationMs: performance.now() - startedAt,
  });
  const { keptBlocks } = large;
  return { outcome: "offloaded", text: descriptor.text, descriptor, storedArtifact, keptBlocks };
}
