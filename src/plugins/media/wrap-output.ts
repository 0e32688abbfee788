import { randomUUID } from "node:crypto";

import { digestOf, sha256Of } from "../../core/content/bytes.js";
import { inspectMedia, type SaidOfMedia } from "./inspect-media.js";
import { type MediaBlock, mediaBlock } from "../../core/content/media/media-block.js";
import { mediaTokens, mediaWords } from "../../core/content/media/shown-media.js";
import type { ViewsOf } from "./view.js";
import { refusedBy } from "./view-limits.js";
import type { Describer } from "../../core/describe/describer.js";
import type { EncodedOutput } from "../../core/pipeline/call.js";
import type { CoreApi } from "../../core/plugin-host/plugin-host.js";
import { joined } from "../../core/drill-in/answer.js";
import { contentAsCame } from "../../core/store/lay-out.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Content } from "../../core/types/content.js";
import type { StoredMedia } from "../../core/types/media.js";
import type { OutputCall, PluginHooks } from "../../core/types/plugin.js";
import type { DrillInToolNames, OffloadedOutput, OffloadResult } from "../../core/types/result.js";
import { listOf } from "../../util/as-kind.js";
import { safeJson } from "../../util/safe-text.js";
import { decodeText } from "../../util/text-encoding.js";
import { wholeMedia } from "./whole-media.js";

interface ReplacedBlocks {
  readonly blocks: readonly unknown[];
  readonly stored: readonly OffloadedOutput[];
}

/**
 * Texts pass on, and a descriptor replaces each large block; those for the tool's own artifact
 * follow the content. An output that is one file is stored as one.
 */
export function wrapMedia(
  api: CoreApi,
  thresholdBytes: (toolName: string) => number,
  viewsOf: ViewsOf,
): NonNullable<PluginHooks["wrapOutput"]> {
  async function store(
    call: OutputCall,
    bytes: Uint8Array,
    said: SaidOfMedia,
  ): Promise<OffloadedOutput | undefined> {
    const { isText, ...media } = inspectMedia(bytes, said);
    const encoded = await encodedMedia(bytes, media, isText);
    return await api.storeEncoded(call, encoded, {
      // An estimate of the tokens saved: from an image's header, not from its base64 length.
      measurement: { tokens: mediaTokens(media), exact: false, characters: 0, overLimit: true },
      reason: `media of more than ${thresholdBytes(call.output.toolName)} bytes`,
      describer: mediaDescriber(media, viewsOf),
    });
  }

  function tellFailed({ output, call }: OutputCall, error: unknown) {
    api.emit({
      type: "write-failed",
      specName: "OffloadWriteFailed",
      fallback: "inline",
      toolName: output.toolName,
      toolCallId: output.toolCallId,
      sessionKey: call.sessionKey,
      store: api.store.name,
      error,
    });
  }

  async function keptBlock(call: OutputCall, block: unknown): Promise<OffloadedOutput | undefined> {
    const limitBytes = thresholdBytes(call.output.toolName);
    const media = largeBlock(block, limitBytes);
    if (media === undefined) return undefined;
    try {
      const bytes = await media.bytes();
      // Invalid base64 may decode to another size.
      if (bytes === undefined || bytes.length <= limitBytes) return undefined;
      return await store(call, bytes, media);
    } catch (error) {
      tellFailed(call, error);
      return undefined;
    }
  }

  async function replaced(call: OutputCall, given: readonly unknown[]): Promise<ReplacedBlocks> {
    const blocks: unknown[] = [];
    const stored: OffloadedOutput[] = [];
    for (const block of given) {
      const kept = await keptBlock(call, block);
      if (kept !== undefined) stored.push(kept);
      blocks.push(kept === undefined ? block : descriptorBlock(kept));
    }
    return { blocks, stored };
  }

  /** `undefined` for an output that is not one file, or cannot be stored. */
  async function keptWhole(call: OutputCall): Promise<OffloadedOutput | undefined> {
    const { output, source } = call;
    const { toolName, value } = output;
    const isTaken = (sizeBytes: number) =>
      output.always === true ||
      source !== "tool" ||
      (!Array.isArray(value) && sizeBytes > thresholdBytes(toolName));
    const file = await wholeMedia(value, isTaken);
    if (file === undefined) return undefined;
    const { name, bytes, declaredType, isBlock } = file;
    const cleanName = name && (await api.clean(name, { toolName, part: "block" }));
    try {
      return await store(call, bytes, { declaredType, name: cleanName });
    } catch (error) {
      if (isBlock && source === "put") throw error;
      // A block that cannot be stored can still be shown.
      if (isBlock) tellFailed(call, error);
      return undefined;
    }
  }

  return async (given, next) => {
    // Files of a user stay in the message.
    if (given.source === "user") return await next(given);
    const whole = await keptWhole(given);
    if (whole !== undefined) return whole;
    const { value, artifact, toolName } = given.output;
    const hasLarge = (blocks: unknown): blocks is readonly unknown[] =>
      Array.isArray(blocks) &&
      blocks.some((block) => largeBlock(block, thresholdBytes(toolName)) !== undefined);
    const beside = hasLarge(artifact) ? artifact : undefined;
    if (beside === undefined && !hasLarge(value)) return await next(given);

    // Parts of one output are of one turn.
    const { turn = randomUUID() } = given.output;
    const call = { ...given, output: { ...given.output, turn } };
    const result = await next(call);
    const shown = await replaced(call, blocksOf(result));
    const hidden = beside && (await replaced(call, beside));
    return withReplaced(result, shown, hidden);
  };
}

function largeBlock(block: unknown, thresholdBytes: number): MediaBlock | undefined {
  const media = mediaBlock(block);
  return media !== undefined && media.sizeBytes > thresholdBytes ? media : undefined;
}

function blocksOf(result: OffloadResult): readonly unknown[] {
  if (result.outcome !== "inline") return result.keptBlocks;
  if (result.text !== undefined) return result.keptBlocks ?? [];
  return listOf(result.value);
}

function descriptorBlock({ text }: OffloadedOutput): unknown {
  return { type: "text", text };
}

function withReplaced(
  result: OffloadResult,
  shown: ReplacedBlocks,
  hidden: ReplacedBlocks = { blocks: [], stored: [] },
): OffloadResult {
  const media = [...shown.stored, ...hidden.stored].map(({ storedArtifact }) => storedArtifact);
  if (media.length === 0) return result;
  const keptBlocks = [...shown.blocks, ...hidden.stored.map(descriptorBlock)];
  if (result.outcome === "offloaded") return { ...result, keptBlocks, media };
  const made = { media, ...(hidden.blocks.length > 0 && { artifact: hidden.blocks }) };
  if (result.outcome === "truncated") return { ...result, keptBlocks, ...made };
  const { text, value } = result;
  if (text === undefined && Array.isArray(value)) return { ...result, value: keptBlocks, ...made };
  const asText = text ?? (typeof value === "string" ? value : JSON.stringify(value));
  return { ...result, text: asText, keptBlocks, ...made };
}

async function encodedMedia(
  bytes: Uint8Array,
  media: StoredMedia,
  isText: boolean,
): Promise<EncodedOutput> {
  const text = isText ? await contentAsCame(decodeText(bytes)) : undefined;
  // Decoding drops a byte order mark, so such a text is stored as bytes.
  const isSame = text !== undefined && Buffer.compare(text.body, bytes) === 0;
  const content: Content = isSame
    ? { ...text, media }
    : { kind: "binary", layout: "text", body: bytes, lineCount: 0, media, records: undefined };
  const digest = await sha256Of(bytes);
  const told = JSON.stringify([media, content.kind, digest]);
  return {
    content,
    text: "",
    header: false,
    scoreRange: undefined,
    bodyBytes: bytes.length,
    fingerprint: await digestOf(told),
    digest: () => Promise.resolve(digest),
    chunks: () => [bytes],
    close: () => Promise.resolve(),
  };
}

/** Always shorter than the file's bytes, though perhaps not than the tokens of a small image. */
function mediaDescriber(media: StoredMedia, viewsOf: ViewsOf): Describer {
  return async ({ storedArtifact: artifact, tools, parts = [], count }) => {
    const { sizeBytes, kind, title } = artifact;
    const readers = [tools.read, tools.grep].filter((name) => name !== undefined);
    const read =
      readers.length > 0 && `It is text: ${readers.join(" and ")} (id=file_path) read it.`;
    const own = kind === "binary" ? viewSentence(artifact, tools, viewsOf) : read;
    const uses = joined([own, ...parts.map(({ guidance }) => guidance)], " ");
    const text = safeJson({
      offloaded: true,
      summary: mediaWords(media, sizeBytes),
      title,
      name: media.name,
      file_path: artifact.filePath ?? artifact.id,
      guidance: uses || "It is stored as it came.",
    });
    return { form: "media", text, tokens: await count(text) };
  };
}

function viewSentence(
  artifact: StoredArtifact,
  { view }: DrillInToolNames,
  viewsOf: ViewsOf,
): string {
  if (view === undefined) return "";
  const { media, sizeBytes } = artifact;
  return media && !refusedBy(media, sizeBytes) && viewsOf(artifact)?.includes(media.kind)
    ? `${view}(id=file_path) shows it to you.`
    : "It is stored as it came, and cannot be shown.";
}
