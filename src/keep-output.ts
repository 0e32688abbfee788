import { describeArtifact } from "./describe/describe.js";
import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "./describe/memory.js";
import { profileRecords } from "./describe/profile.js";
import { recipesFor } from "./describe/recipes.js";
import type { DrillIn } from "./drill-in/drill-in.js";
import type { ReferenceOptions } from "./drill-in/reference.js";
import type { OffloadListener } from "./events.js";
import type { ResolvedToolOptions } from "./options.js";
import type { ArtifactStore } from "./store/artifact-store.js";
import { headed, type LaidOut } from "./store/lay-out.js";
import { operationOf } from "./store/naming.js";
import { newArtifact } from "./store/new-artifact.js";
import type { AnsweredCall } from "./store/replays.js";
import type { DrillInToolNames, Measurement, OffloadResult, ToolOutput } from "./types.js";

/** What storing and describing work with. */
interface KeeperOptions {
  readonly store: ArtifactStore;
  readonly toolNames: DrillInToolNames;
  readonly references: ReferenceOptions | undefined;
  readonly count: (text: string) => Promise<number>;
  readonly now: () => number;
  readonly drillIn: DrillIn;
  /** Called after each output that was stored. */
  readonly onStored: () => void;
}

/** An output that is to be kept. */
interface KeptOutput {
  readonly output: ToolOutput;
  readonly text: string;
  readonly measurement: Measurement;
  readonly options: ResolvedToolOptions;
  /** What it costs inline, when it may stay there unless something is saved. */
  readonly inlineTokens?: number | undefined;
}

/** Thrown for an output whose descriptor would be no smaller than itself; nothing is kept of it. */
export class NothingSaved extends Error {}

/** The steps `store -> describe` of the walk: both or neither. */
export function createKeeper({
  store,
  toolNames,
  references,
  count,
  now,
  drillIn,
  onStored,
}: KeeperOptions): (kept: KeptOutput, laidOut: LaidOut) => Promise<AnsweredCall> {
  const staysHere = store.inMemory === true || store.hasFiles === true;
  return async ({ output, text, measurement, options, inlineTokens = Infinity }, laidOut) => {
    const { content, scoreRange, bodyBytes } = laidOut;
    const { describer, recipes: makeRecipes = recipesFor, ...form } = options.describe;
    const profile = content.records && (await profileRecords(content));
    const operation = operationOf(output.toolName);
    const detail = detailOf({ operation, args: output.args, profile });
    const { artifact, header } = newArtifact({
      output,
      content,
      bodyBytes,
      bodySha256: staysHere ? undefined : await laidOut.digest(),
      header: laidOut.header,
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
    const storedArtifact = await store.put(artifact, headed(header, laidOut.chunks()));
    try {
      drillIn.remember(storedArtifact);
      onStored();
      drillIn.warm();
      const tools = toolNames;
      const input = {
        storedArtifact,
        content,
        profile,
        tools,
        references,
        count,
        text,
        scoreRange,
      };
      const descriptor = await (describer ? describer(input) : describeArtifact(input, form));
      if (descriptor.tokens >= inlineTokens) throw new NothingSaved();
      return { storedArtifact, descriptor };
    } catch (error) {
      await store.delete(storedArtifact.id, storedArtifact.scope).catch(() => false);
      throw error;
    }
  };
}

/** Tells the listeners, and hands over what the model sees. */
export function tellAnswered(
  large: {
    readonly notify: OffloadListener;
    readonly keptBlocks: readonly unknown[];
    readonly reason: string;
  },
  answered: AnsweredCall,
  startedAt: number,
): OffloadResult {
  const { storedArtifact, descriptor } = answered;
  large.notify({
    type: "offloaded",
    storedArtifact,
    reason: large.reason,
    form: descriptor.form,
    descriptorTokens: descriptor.tokens,
    tokensSaved: storedArtifact.tokens - descriptor.tokens,
    tokensExact: storedArtifact.tokensExact,
    durationMs: performance.now() - startedAt,
  });
  const { keptBlocks } = large;
  return { outcome: "offloaded", text: descriptor.text, descriptor, storedArtifact, keptBlocks };
}
