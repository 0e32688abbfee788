import { detailOf, isMemorySet, MEMORY_SCHEMA_VERSION } from "../describe/recipes/memory.js";
import { fieldNames, profileContent } from "../describe/profile/profile-document.js";
import { withStandIns } from "../describe/stand-in.js";
import { describeUserMessage } from "../describe/user-message.js";
import type { DrillIn } from "../drill-in/drill-in.js";
import type { ReferenceOptions } from "../describe/references.js";
import type { OffloadListener } from "../events.js";
import { descriptorOrUsual, namedOrUsual, recipesOrUsual } from "../options/option-faults.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import { headed, type LaidOut } from "../store/body/lay-out.js";
import { operationOf } from "../store/naming.js";
import { newArtifact } from "../store/new-artifact.js";
import type { AnsweredCall } from "./repeated-outputs.js";
import type { DrillInToolNames, Measurement, OffloadedOutput, ToolOutput } from "../types.js";

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
  readonly notify: OffloadListener;
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
  return async (kept, laidOut) => {
    const { output, text, measurement, options, inlineTokens = Infinity } = kept;
    const { content, scoreRange, bodyBytes } = laidOut;
    const { describer, recipes: makeRecipes, ...form } = options.describe;
    const profile = content.records && (await profileContent(content));
    const operation = operationOf(output.toolName);
    const detail = detailOf({ operation, args: output.args, profile });
    const { artifact, header } = newArtifact({
      output,
      content,
      bodyBytes,
      bodySha256: staysHere ? undefined : await laidOut.digest(),
      header: laidOut.header,
      fileName: namedOrUsual(kept, options.fileName),
      measurement,
      operation,
      detail,
      schemaVersion: profile && isMemorySet(profile) ? MEMORY_SCHEMA_VERSION : "none",
      recipes: profile ? recipesOrUsual(kept, makeRecipes, [content, profile, detail]) : [],
      fields: profile ? fieldNames(profile, content) : [],
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
      const write = output.origin === "user" ? describeUserMessage : describer;
      const descriptor = await descriptorOrUsual(kept, write, input, form);
      if (inlineTokens < Infinity) {
        const tokens = await count(withStandIns(descriptor.text, storedArtifact));
        if (tokens >= inlineTokens) throw new NothingSaved();
      }
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
    readonly output: Pick<ToolOutput, "toolCallId">;
    readonly notify: OffloadListener;
    readonly keptBlocks: readonly unknown[];
    readonly reason: string;
  },
  answered: AnsweredCall,
  startedAt: number,
): OffloadedOutput {
  const { storedArtifact, descriptor } = answered;
  large.notify({
    type: "offloaded",
    storedArtifact,
    toolCallId: large.output.toolCallId,
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
