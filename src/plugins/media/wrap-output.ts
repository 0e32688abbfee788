import { randomUUID } from "node:crypto";

import type { SaidOfMedia } from "../../core/content/media/inspect-media.js";
import { type MediaBlock, mediaBlock } from "../../core/content/media/media-block.js";
import type { ViewLimits } from "../../core/content/media/shown-media.js";
import type { CoreApi } from "../../core/plugin-host/plugin-host.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { OutputCall, PluginHooks } from "../../core/types/plugin.js";
import type { OffloadedOutput, OffloadResult } from "../../core/types/result.js";
import { mediaDescriber } from "./describe-media.js";
import { encodedMedia, mediaContent, mediaMeasurement } from "./media-content.js";
import { wholeMedia } from "./whole-media.js";

interface ReplacedBlocks {
  readonly blocks: readonly unknown[];
  readonly stored: readonly StoredArtifact[];
  readonly descriptors: readonly unknown[];
}

interface MediaRules {
  readonly limits: ViewLimits;
  readonly thresholdBytes: (toolName: string) => number;
}

/**
 * Texts pass on, and a descriptor replaces each large block; those for the tool's own artifact
 * follow the content. An output that is one file is stored as one.
 */
export function wrapMedia(
  api: CoreApi,
  { thresholdBytes, limits }: MediaRules,
): NonNullable<PluginHooks["wrapOutput"]> {
  const describer = mediaDescriber(limits);

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
