import { randomUUID } from "node:crypto";

import { RedactFault } from "../../content/redact/redactor.js";
import type { OffloadResult } from "../../types/result.js";
import type { Call, Payload } from "../call.js";
import type { Walk } from "../enter/walk-redacted.js";
import type { KeepMedia, ReplacedBlocks } from "./keep-media.js";
import { wholeMedia } from "./whole-media.js";

/**
 * The walk of outputs whose images and other files are stored too: the texts walk as they do, and then a descriptor stands in the
 * place of each large block, and behind the content for those in the tool's own artifact. An output that is one file is
 * stored as one.
 */
export function walkWithMedia(walk: Walk, media: KeepMedia): Walk {
  return async (given, steps) => {
    const { value, artifact } = given.output;
    const isTaken = async (sizeBytes: number): Promise<boolean> =>
      media.isLarge(sizeBytes, value) || (await isAlwaysStored(given));
    const whole = await wholeMedia(value, isTaken);
    if (whole !== undefined) return await walkWhole(given, whole);
    const beside = media.hasLarge(artifact) ? artifact : undefined;
    if (beside === undefined && !media.hasLarge(value)) return await walk(given, steps);

    const call = inOneTurn(given);
    const slim = beside && media.withoutLarge(beside);
    const result = await walk(slim === undefined ? call : withArtifact(call, slim), steps);
    const shown = await media.replaced(blocksOf(result), call);
    const left = "artifact" in result ? result.artifact : slim;
    const own = beside && slim && filledIn(beside, slim, left);
    const hidden = own && (await media.replaced(own, call));
    return withReplaced(result, shown, hidden);

    async function walkWhole(
      call: Call,
      file: NonNullable<Awaited<ReturnType<typeof wholeMedia>>>,
    ): Promise<OffloadResult> {
      try {
        const kept = await media.keep(file.bytes, file, call);
        if (kept !== undefined) return kept;
      } catch (error) {
        const so = { call, payload: undefined, verdict: undefined, encoded: undefined };
        if (file.isBlock && !(error instanceof RedactFault))
          return await call.door.recover(error, so);
      }
      // Of bytes that are not stored something can be shown all the same, and what is withheld is said.
      return await walk(call, steps);
    }
  };
}

/** Whether the door stores whatever comes: no gate is asked of an output without a character. */
async function isAlwaysStored(call: Call): Promise<boolean> {
  const payload: Payload = {
    output: call.output,
    text: "",
    keptBlocks: [],
    isWhole: true,
    encode: () => Promise.reject(new Error("Nothing is laid out.")),
    excerpt: () => Promise.resolve({ text: "" }),
    close: () => Promise.resolve(),
  };
  return (await call.door.decide(payload, call)).action === "store";
}

/** What one output comes to does not make room for each other. */
function inOneTurn(call: Call): Call {
  if (call.output.turn !== undefined) return call;
  return { ...call, scope: call.scope, output: { ...call.output, turn: randomUUID() } };
}

function withArtifact(call: Call, artifact: unknown): Call {
  return { ...call, scope: call.scope, output: { ...call.output, artifact } };
}

/** An artifact with its large blocks, and the rest as `redact` has left it; `undefined` where the output is withheld. */
function filledIn(
  given: readonly unknown[],
  slim: readonly unknown[],
  left: unknown,
): readonly unknown[] | undefined {
  if (!Array.isArray(left) || left.length !== given.length) return undefined;
  const rest: readonly unknown[] = left;
  return given.map((block, index) => (block === slim[index] ? rest[index] : block));
}

/** The blocks that a result shows beside its text, or in its place. */
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
  if (media.length === 0) {
    return hidden && "artifact" in result ? { ...result, artifact: hidden.blocks } : result;
  }
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
