import { createHash, randomUUID } from "node:crypto";

import { sha256Of } from "../../core/content/bytes.js";
import { inspectMedia, type SaidOfMedia } from "./inspect-media.js";
import { type MediaBlock, mediaBlock } from "../../core/content/media/media-block.js";
import { mediaTokens, mediaWords } from "../../core/content/media/shown-media.js";
import { isShown, type ViewLimits } from "./view-limits.js";
import type { Describer } from "../../core/describe/describer.js";
import type { EncodedOutput } from "../../core/pipeline/call.js";
import type { CoreApi } from "../../core/plugin-host/plugin-host.js";
import { contentAsCame } from "../../core/store/lay-out.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Content, Measurement } from "../../core/types/content.js";
import type { MediaKind, StoredMedia } from "../../core/types/media.js";
import type { OutputCall, PluginHooks } from "../../core/types/plugin.js";
import type { DrillInToolNames, OffloadedOutput, OffloadResult } from "../../core/types/result.js";
import { safeJson } from "../../util/safe-text.js";
import { decodeText } from "../../util/text-encoding.js";
import { wholeMedia } from "./whole-media.js";

interface ReplacedBlocks {
  readonly blocks: readonly unknown[];
  readonly stored: readonly StoredArtifact[];
  readonly descriptors: readonly unknown[];
}

interface MediaRules {
  readonly limits: ViewLimits;
  /** What the model of a session accepts, if known. */
  readonly takenBy: (
    session: Pick<StoredArtifact, "sessionKey">,
  ) => readonly MediaKind[] | undefined;
  readonly thresholdBytes: (toolName: string) => number;
}

/**
 * Texts pass on, and a descriptor replaces each large block; those for the tool's own artifact
 * follow the content. An output that is one file is stored as one.
 */
export function wrapMedia(
  api: CoreApi,
  { thresholdBytes, ...views }: MediaRules,
): NonNullable<PluginHooks["wrapOutput"]> {
  const describer = mediaDescriber(views);

  async function store(
    call: OutputCall,
    bytes: Uint8Array,
    said: SaidOfMedia,
  ): Promise<OffloadedOutput | undefined> {
    const encoded = await encodedMedia(await mediaContent(bytes, said));
    return await api.storeEncoded(call, encoded, {
      measurement: mediaMeasurement(encoded.content),
      reason: `media of more than ${thresholdBytes(call.output.toolName)} bytes`,
      describer,
    });
  }

  function tellFailed(
    { output: { toolName, toolCallId }, call }: OutputCall,
    error: unknown,
  ): void {
    const told = {
      toolName,
      toolCallId,
      sessionKey: call.sessionKey,
      store: api.store.name,
      error,
    };
    api.emit({ type: "write-failed", specName: "OffloadWriteFailed", fallback: "inline", ...told });
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

  async function replaced(call: OutputCall, blocks: readonly unknown[]): Promise<ReplacedBlocks> {
    const all: unknown[] = [];
    const descriptors: unknown[] = [];
    const stored: StoredArtifact[] = [];
    for (const block of blocks) {
      const kept = await keptBlock(call, block);
      if (kept !== undefined) {
        stored.push(kept.storedArtifact);
        descriptors.push({ type: "text", text: kept.text });
      }
      all.push(kept === undefined ? block : descriptors.at(-1));
    }
    return { blocks: stored.length === 0 ? blocks : all, stored, descriptors };
  }

  /** `undefined` for an output that is not one file, or cannot be stored. */
  async function keptWhole(call: OutputCall): Promise<OffloadedOutput | undefined> {
    const { output, source } = call;
    const { toolName, value } = output;
    const isTaken = (sizeBytes: number): boolean =>
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
    const whole = await keptWhole(given);
    if (whole !== undefined) return whole;
    const { value, artifact, toolName } = given.output;
    const hasLarge = (blocks: unknown): blocks is readonly unknown[] =>
      Array.isArray(blocks) &&
      blocks.some((block) => largeBlock(block, thresholdBytes(toolName)) !== undefined);
    const beside = hasLarge(artifact) ? artifact : undefined;
    if (beside === undefined && !hasLarge(value) && !hasLarge(given.output.unwrapped))
      return await next(given);

    const call = inOneTurn(given);
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

function inOneTurn(call: OutputCall): OutputCall {
  if (call.output.turn !== undefined) return call;
  return { ...call, output: { ...call.output, turn: randomUUID() } };
}

function blocksOf(result: OffloadResult): readonly unknown[] {
  if (result.outcome !== "inline") return result.keptBlocks;
  if (result.text !== undefined) return result.keptBlocks ?? [];
  return Array.isArray(result.value) ? result.value : [];
}

function withReplaced(
  result: OffloadResult,
  shown: ReplacedBlocks,
  hidden: ReplacedBlocks | undefined,
): OffloadResult {
  const media = [...shown.stored, ...(hidden?.stored ?? [])];
  if (media.length === 0) return result;
  const blocks = [...shown.blocks, ...(hidden?.descriptors ?? [])];
  if (result.outcome === "offloaded") return { ...result, keptBlocks: blocks, media };
  const artifact = hidden && { artifact: hidden.blocks };
  if (result.outcome === "truncated") return { ...result, keptBlocks: blocks, media, ...artifact };
  const { text, value } = result;
  if (text === undefined && Array.isArray(value)) {
    return { ...result, value: blocks, media, ...artifact };
  }
  const asText = text ?? (typeof value === "string" ? value : JSON.stringify(value));
  return { ...result, text: asText, keptBlocks: blocks, media, ...artifact };
}

async function mediaContent(bytes: Uint8Array, said: SaidOfMedia): Promise<Content> {
  const { isText, ...media } = inspectMedia(bytes, said);
  const text = isText ? await contentAsCame(decodeText(bytes)) : undefined;
  // Decoding drops a byte order mark, so such a text is stored as bytes.
  if (text !== undefined && Buffer.compare(text.body, bytes) === 0) return { ...text, media };
  return {
    kind: "binary",
    layout: "text",
    body: bytes,
    lineCount: 0,
    media,
    records: undefined,
  };
}

async function encodedMedia(content: Content): Promise<EncodedOutput> {
  const { body, media } = content;
  const digest = await sha256Of(body);
  const told = JSON.stringify([media, content.kind, digest]);
  return {
    content,
    text: "",
    header: false,
    scoreRange: undefined,
    bodyBytes: body.length,
    fingerprint: createHash("sha256").update(told).digest("hex"),
    digest: () => Promise.resolve(digest),
    chunks: () => [body],
    close: () => Promise.resolve(),
  };
}

/** An estimate of the tokens saved: from an image's header, not from its base64 length. */
function mediaMeasurement({ media }: Content): Measurement {
  const tokens = media === undefined ? 0 : mediaTokens(media);
  return { tokens, exact: false, characters: 0, overLimit: true };
}

type Views = Omit<MediaRules, "thresholdBytes">;

/** Always shorter than the file's bytes, though perhaps not than the tokens of a small image. */
function mediaDescriber(views: Views): Describer {
  return async ({ storedArtifact: artifact, tools, parts = [], count }) => {
    const { media, sizeBytes, kind, title } = artifact;
    const said: StoredMedia = media ?? { kind: "file", type: "application/octet-stream" };
    const own = kind === "binary" ? viewSentence(artifact, tools, views) : readSentence(tools);
    const uses = [own, ...parts.map(({ guidance }) => guidance ?? "")].filter((one) => one !== "");
    const text = safeJson({
      offloaded: true,
      summary: mediaWords(said, sizeBytes),
      ...(title !== undefined && { title }),
      ...(said.name !== undefined && { name: said.name }),
      file_path: artifact.filePath ?? artifact.id,
      guidance: uses.length === 0 ? "It is stored as it came." : uses.join(" "),
    });
    return { form: "media", text, tokens: await count(text) };
  };
}

function viewSentence(
  artifact: StoredArtifact,
  { view }: DrillInToolNames,
  { limits, takenBy }: Views,
): string {
  if (view === undefined) return "";
  return isShown(artifact, limits, takenBy(artifact))
    ? `${view}(id=file_path) shows it to you.`
    : "It is stored as it came, and cannot be shown.";
}

function readSentence({ read, grep }: DrillInToolNames): string {
  const names = [read, grep].filter((name) => name !== undefined);
  return names.length === 0 ? "" : `It is text: ${names.join(" and ")} (id=file_path) read it.`;
}
