import type { SaidOfMedia } from "../../content/media/inspect-media.js";
import { type MediaBlock, mediaBlock } from "../../content/media/media-block.js";
import type { ViewLimits } from "../../content/media/viewable.js";
import { createRedactor, type Redact } from "../../content/redact/redactor.js";
import { mediaDescriber } from "../../describe/media/describe-media.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadResult, OffloadedOutput } from "../../types/result.js";
import type { Call } from "../call.js";
import type { Steps } from "../walk.js";
import { encodedMedia, mediaContent, mediaMeasurement } from "./media-content.js";

/** Blocks without the large ones of media, each of which a descriptor stands for. */
export interface ReplacedBlocks {
  /** The same list where none was large. */
  readonly blocks: readonly unknown[];
  readonly stored: readonly StoredArtifact[];
  /** Those that stand for what was stored. */
  readonly descriptors: readonly unknown[];
}

/** Stores media by the steps of the walk. */
export interface KeepMedia {
  /** Whether any block is larger than stays. Decodes nothing. */
  hasLarge(blocks: unknown): blocks is readonly unknown[];
  /** The blocks, an empty text in the place of each large one: what `redact` is given of them. */
  withoutLarge(blocks: readonly unknown[]): readonly unknown[];
  /** Whether one of so many bytes is, which is all of an output: in a list it stays beside what may come to it. */
  isLarge(sizeBytes: number, value: unknown): boolean;
  /** The blocks, each in its place. One that cannot be stored stays, and the listeners hear of it. Never rejects. */
  replaced(blocks: readonly unknown[], call: Call): Promise<ReplacedBlocks>;
  /** Stores bytes. @throws what the store throws; {@link RedactFault} */
  keep(bytes: Uint8Array, said: SaidOfMedia, call: Call): Promise<OffloadedOutput | undefined>;
}

/** What storing works with. */
interface MediaParts {
  readonly media: ViewLimits & { readonly threshold: { readonly bytes: number } };
  readonly steps: Pick<Steps, "storeAndDescribe" | "offloaded">;
  readonly redact: Redact | undefined;
  readonly store: { readonly name: string };
}

/** Makes what stores media. */
export function createKeepMedia({ media, steps, redact, store }: MediaParts): KeepMedia {
  const thresholdBytes = media.threshold.bytes;
  const describer = mediaDescriber(media);
  const large = (block: unknown): MediaBlock | undefined => {
    const media = mediaBlock(block);
    return media !== undefined && media.sizeBytes > thresholdBytes ? media : undefined;
  };

  async function storeAs(
    bytes: Uint8Array,
    { output, name, declaredType }: KeptBeside,
    given: Call,
  ): Promise<OffloadedOutput | undefined> {
    const startedAt = performance.now();
    const encoded = await encodedMedia(await mediaContent(bytes, { declaredType, name }));
    const measurement = mediaMeasurement(encoded.content);
    const call: Call = {
      ...given,
      scope: given.scope,
      output,
      door: { ...given.door, describer: () => describer },
    };
    const verdict = {
      action: "store" as const,
      measurement,
      reason: `media of more than ${thresholdBytes} bytes`,
      worthTokens: Infinity,
      limitsIfLost: () => Promise.resolve({ tokens: undefined, bytes: undefined }),
    };
    const kept = await steps.storeAndDescribe(call, encoded, verdict);
    if (kept === undefined) return undefined;
    const payload = {
      output,
      text: undefined,
      keptBlocks: [],
      isWhole: true,
      encode: () => Promise.resolve(encoded),
      excerpt: () => Promise.resolve({ text: "" }),
      close: () => Promise.resolve(),
    };
    const durationMs = performance.now() - startedAt;
    const result: OffloadResult = await steps.offloaded(call, payload, {
      kept,
      verdict,
      durationMs,
    });
    return result.outcome === "offloaded" ? result : undefined;
  }

  async function keptBlock(block: unknown, call: Call): Promise<OffloadedOutput | undefined> {
    const media = large(block);
    if (media === undefined) return undefined;
    try {
      const bytes = await media.bytes();
      // What was no base64 may have another size.
      if (bytes === undefined || bytes.length <= thresholdBytes) return undefined;
      const { declaredType } = media;
      const beside = await withoutSecrets(call.output, media.name, redact).catch(() => ({
        output: { ...call.output, args: undefined, title: undefined },
        name: undefined,
      }));
      return await storeAs(bytes, { ...beside, declaredType }, call);
    } catch (error) {
      const { toolName, toolCallId } = call.output;
      const told = { toolName, toolCallId, store: store.name, error };
      const fallback = "inline" as const;
      call.notify({ type: "write-failed", specName: "OffloadWriteFailed", fallback, ...told });
      return undefined;
    }
  }

  return {
    async keep(bytes, { declaredType, name }, call) {
      const beside = await withoutSecrets(call.output, name, redact);
      return await storeAs(bytes, { ...beside, declaredType }, call);
    },
    withoutLarge: (blocks) =>
      blocks.map((block) => (large(block) === undefined ? block : { type: "text", text: "" })),
    hasLarge: (blocks): blocks is readonly unknown[] =>
      Array.isArray(blocks) && blocks.some((block: unknown) => large(block) !== undefined),
    isLarge: (sizeBytes, value) => !Array.isArray(value) && sizeBytes > thresholdBytes,
    async replaced(blocks, call) {
      const replaced: unknown[] = [];
      const descriptors: unknown[] = [];
      const stored: StoredArtifact[] = [];
      // One after the other: of many large ones only one is decoded at a time.
      for (const block of blocks) {
        const kept = await keptBlock(block, call);
        if (kept !== undefined) {
          descriptors.push({ type: "text", text: kept.text });
          stored.push(kept.storedArtifact);
        }
        replaced.push(kept === undefined ? block : descriptors.at(-1));
      }
      return stored.length === 0
        ? { blocks, stored, descriptors }
        : { blocks: replaced, stored, descriptors };
    },
  };
}

/** The same for blocks of an output that does not come by the walk; those of one that takes no part stay. */
export function keepBlocks(
  media: KeepMedia,
  admitted: (output: ToolOutput) => Call | undefined,
): (blocks: readonly unknown[], output: ToolOutput) => Promise<ReplacedBlocks> {
  return async (blocks, output) => {
    const call = admitted(output);
    return call === undefined
      ? { blocks, stored: [], descriptors: [] }
      : await media.replaced(blocks, call);
  };
}

/** What is kept beside bytes. */
interface KeptBeside extends SaidOfMedia {
  readonly output: ToolOutput;
}

/** What is kept beside bytes, redacted as it is beside a text. @throws {@link RedactFault} */
async function withoutSecrets(
  output: ToolOutput,
  name: string | undefined,
  redact: Redact | undefined,
): Promise<Pick<KeptBeside, "output" | "name">> {
  if (redact === undefined) return { output, name };
  const { toolName, args, title } = output;
  const redactor = createRedactor(redact, toolName);
  const own = {
    ...output,
    args: args && (await redactor.value(args, "arguments")),
    title: title && (await redactor.text(title, "title")),
  };
  const isRedacted = name === undefined || output.redacted === true;
  return { output: own, name: isRedacted ? name : await redactor.text(name, "block") };
}
