import type { ToolOutput } from "../types/output.js";
import { TEXT_KINDS, TYPE_FIELDS } from "../content/content-blocks.js";
import { MAY_BE_BASE64, MEDIA_KINDS, mediaBlock } from "../content/media/media-block.js";
import { preBudgetSet } from "../content/mif/memory-schema.js";
import { streamOf } from "../content/stream/output-stream.js";
import { isString, listOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { byteView, isBlob } from "../content/bytes.js";
import { splitMcpText } from "../content/structured-content.js";
import { unwrapOutput } from "../content/unwrap.js";
import { cleanStream } from "./clean-stream.js";
import { mapConcurrent } from "../../util/slices.js";
import { CLEANED_AT_ONCE, type Cleaner } from "./cleaner.js";

const MAX_DEPTH = 8;
const ADDRESSES = new Set(["url", "uri", "image_url", "file_url", "fileUri", "file_data"]);
const MAX_BEGINNING = 1_000;
const FILE_ADDRESS = /^data:[^,]*;base64,/;
const TEXT_TYPE = /^text|^application\/.*(?:json|xml|yaml|javascript|urlencoded)(?:;|$)/i;

/** An artifact without JSON is removed. @throws {@link CleanFault} */
export async function cleanBeside(given: ToolOutput, cleaner: Cleaner): Promise<ToolOutput> {
  const { title, args, artifact } = given;
  return {
    ...given,
    ...(title !== undefined && { title: await cleaner.text(title, "title") }),
    ...(args !== undefined && { args: await cleaner.value(args, "arguments") }),
    ...(artifact !== undefined && { artifact: await cleanArtifact(artifact, cleaner) }),
  };
}

async function cleanArtifact(artifact: unknown, cleaner: Cleaner): Promise<unknown> {
  const blocks = listOf(artifact);
  const areFiles = blocks.map(isMedia);
  if (!areFiles.includes(true)) return await cleaner.value(artifact, "artifact");
  const others = blocks.filter((_block, index) => !areFiles[index]);
  const left = await cleaner.value(others, "artifact");
  if (left?.length !== others.length) return undefined;
  let at = 0;
  const cleaned = await mapConcurrent(blocks, CLEANED_AT_ONCE, async (block, index) =>
    areFiles[index] ? await cleanBlock(block, cleaner) : left[at++],
  );
  return cleaned.every((block, index) => block === blocks[index]) ? artifact : cleaned;
}

function isMedia(block: unknown): boolean {
  return mediaBlock(block) !== undefined;
}

export function mayBeFile(value: unknown): boolean {
  if (Array.isArray(value)) return false;
  return byteView(value) !== undefined || isBlob(value) || isMedia(value);
}

/** Streams are cleaned while they are read. Only what may be stored has what the artifact adds. @throws {@link CleanFault} */
export async function cleanValue(
  output: ToolOutput,
  cleaner: Cleaner,
  isIn = true,
): Promise<ToolOutput> {
  if (output.redacted === true) return output;
  const stream = streamOf(output.value);
  if (stream !== undefined) return { ...output, value: cleanStream(stream, cleaner) };
  // Memories in the artifact replace the text only when they are stored.
  const hasSet = output.unwrapped !== true && preBudgetSet(output.artifact) !== undefined;
  const artifact = hasSet || !isIn ? undefined : output.artifact;
  const { text: came, keptBlocks: blocks } = unwrapOutput({ ...output, artifact });
  const text = came === undefined ? undefined : await cleaner.text(came, "output");
  const parts = [...blocks, ...besideTexts(output.value)];
  const cleaned = await mapConcurrent(parts, CLEANED_AT_ONCE, (part) => cleanBlock(part, cleaner));
  if (text === came && cleaned.every((part, index) => part === parts[index])) return output;
  const keptBlocks = cleaned.slice(0, blocks.length);
  return text === undefined
    ? { ...output, value: keptBlocks }
    : { ...output, value: text, unwrapped: keptBlocks };
}

function besideTexts(value: unknown): readonly object[] {
  if (typeof value === "string") return [{ meta: splitMcpText(value)?.meta }];
  return [value]
    .flat()
    .filter(isRecord)
    .filter(({ type }) => TEXT_KINDS.has(type))
    .map(({ text: _text, ...beside }) => beside);
}

export async function cleanBlock(
  block: unknown,
  cleaner: Cleaner,
  depth: number = 0,
): Promise<unknown> {
  if (typeof block === "string") return await cleaner.text(block, "block");
  if (typeof block === "number" || typeof block === "bigint") {
    const digits = String(block);
    const shown = await cleaner.text(digits, "block");
    return shown === digits ? block : shown;
  }
  if (typeof block !== "object" || block === null || ArrayBuffer.isView(block)) return block;
  if (depth >= MAX_DEPTH) return await cleaner.value(block, "block");
  const redacted: [string, unknown][] = [];
  let isSame = true;
  for (const [key, value] of Object.entries(block)) {
    const isKept = (depth === 0 && key === "type") || isFile(block, key, value);
    const own = isKept ? value : await cleanBlock(value, cleaner, depth + 1);
    // Keys of the block itself belong to its format.
    const isData = depth > 0 && !Array.isArray(block);
    const ownKey = isData ? await cleaner.text(key, "block") : key;
    redacted.push([ownKey, own]);
    isSame &&= own === value && ownKey === key;
  }
  if (isSame) return block;
  return Array.isArray(block) ? redacted.map(([, value]) => value) : Object.fromEntries(redacted);
}

/** Base64 bytes, or a `data:` URL with them. */
function isFile(holder: object, key: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  const beginning = value.slice(0, MAX_BEGINNING);
  if (ADDRESSES.has(key)) return FILE_ADDRESS.test(beginning);
  if (!MAY_BE_BASE64.test(beginning)) return false;
  if (key === "blob") return typeof fieldOf(holder, "uri") === "string";
  if (key !== "data") return false;
  const named = TYPE_FIELDS.map((field) => fieldOf(holder, field)).find(isString);
  return named === undefined ? MEDIA_KINDS.has(fieldOf(holder, "type")) : !TEXT_TYPE.test(named);
}
