import type { ToolOutput } from "../types/output.js";
import type { TextPart } from "../types/plugin.js";
import { carriesMedia, roleOf, TYPE_FIELDS } from "../content/content-blocks.js";
import { MAY_BE_BASE64, mediaBlock } from "../content/media/media-block.js";
import { jsonOf, parsedJson, someJsonOf } from "../content/value/any-json.js";
import { streamOf } from "../content/stream/output-stream.js";
import { isString, listOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { byteView, isBlob } from "../content/bytes.js";
import { splitMcpText } from "../content/structured-content.js";
import { blocksIn } from "../content/unwrap.js";
import { cleanStream } from "./clean-stream.js";
import { mapConcurrent } from "../../util/slices.js";
import { CLEANED_AT_ONCE, type Cleaner } from "./cleaner.js";

const MAX_DEPTH = 8;
/** In UTF-16 units. */
const MAX_PARSED = 1 << 20;
const ADDRESSES = new Set(["url", "uri", "image_url", "file_url", "fileUri", "file_data"]);
const MAX_BEGINNING = 1_000;
const FILE_ADDRESS = /^data:[^,]*;base64,/;
const TEXT_TYPE = /^text|^application\/.*(?:json|xml|yaml|javascript|urlencoded)(?:;|$)/i;

/** What has no JSON is removed from an artifact. @throws {@link CleanFault} */
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
  const list = listOf(artifact);
  if (!list.some(isFileOrText)) return await cleaner.value(artifact, "artifact");
  const cleaned = await cleanList(list, isFileOrText, cleaner, "artifact");
  return cleaned === list ? artifact : cleaned;
}

/** All that is no block is cleaned as one JSON. */
async function cleanList(
  list: readonly unknown[],
  isBlock: (one: unknown) => boolean,
  cleaner: Cleaner,
  part: "artifact" | "output",
): Promise<readonly unknown[]> {
  const records = list.filter((one) => !isBlock(one));
  const left = await cleanRecords(records, cleaner, part);
  if (records.length === list.length) return left === records ? list : left;
  const others = left.values();
  const cleaned = await mapConcurrent(list, CLEANED_AT_ONCE, async (one) =>
    isBlock(one) ? await cleanBlock(one, cleaner) : others.next().value,
  );
  if (cleaned.every((one, index) => one === list[index])) return list;
  return cleaned.filter((one) => one !== undefined);
}

/** Those of an output that are no JSON any more, or too long to stay, become one text. */
async function cleanRecords(
  records: readonly unknown[],
  cleaner: Cleaner,
  part: "artifact" | "output",
): Promise<readonly unknown[]> {
  if (records.length === 0) return records;
  if (part === "artifact") return listOf(await cleaner.value(records, part));
  const json = someJsonOf(records);
  const text = await cleaner.text(json, part);
  if (text === json) return records;
  const left = text.length > MAX_PARSED ? undefined : parsedJson(text);
  return Array.isArray(left) && JSON.stringify(left) === text ? left : [{ type: "text", text }];
}

function isFileOrText(one: unknown): boolean {
  return roleOf(one) === "media" || fieldOf(one, "type") === "resource";
}

export function mayBeFile(value: unknown): boolean {
  if (Array.isArray(value)) return false;
  return byteView(value) !== undefined || isBlob(value) || mediaBlock(value) !== undefined;
}

/** Streams are cleaned while they are read. Blocks stay in place. @throws {@link CleanFault} */
export async function cleanValue(output: ToolOutput, cleaner: Cleaner): Promise<ToolOutput> {
  const { value: came, keptBlocks: kept } = output;
  if (output.redacted === true) return output;
  const stream = streamOf(came);
  if (stream !== undefined) return { ...output, value: cleanStream(stream, cleaner) };
  const value = await cleanShown(came, cleaner);
  const keptBlocks = kept && (await cleanList(kept, () => true, cleaner, "output"));
  return value === came && keptBlocks === kept ? output : { ...output, value, keptBlocks };
}

async function cleanShown(value: unknown, cleaner: Cleaner): Promise<unknown> {
  if (Array.isArray(value)) {
    const areTexts = blocksIn(value)?.texts !== undefined;
    return await cleanList(value, (one) => areTexts || isFileOrText(one), cleaner, "output");
  }
  const text = typeof value === "string" ? value : jsonOf(value);
  if (text === undefined) return value;
  const wrapped = splitMcpText(text);
  const came = wrapped?.text ?? text;
  const cleaned = await cleaner.text(came, "output");
  if (wrapped === undefined) return cleaned === text ? value : cleaned;
  const beside = await cleaner.text(wrapped.beside, "output");
  if (cleaned === came && beside === wrapped.beside) return value;
  return `{"type":"text","text":${JSON.stringify(cleaned)},${beside.replace("{", "")}`;
}

export async function cleanBlock(
  block: unknown,
  cleaner: Cleaner,
  depth: number = 0,
  part: TextPart["part"] = "output",
): Promise<unknown> {
  if (typeof block === "string") return await cleaner.text(block, part);
  if (typeof block === "number" || typeof block === "bigint") {
    const digits = String(block);
    const shown = await cleaner.text(digits, part);
    return shown === digits ? block : shown;
  }
  if (typeof block !== "object" || block === null || ArrayBuffer.isView(block)) return block;
  if (depth >= MAX_DEPTH) return await cleaner.value(block, "block");
  const redacted: [string, unknown][] = [];
  let isSame = true;
  for (const [key, value] of Object.entries(block)) {
    const isKept = (depth === 0 && key === "type") || isFile(block, key, value);
    const isText = key === "text" || key === "data";
    const own = isKept
      ? value
      : await cleanBlock(value, cleaner, depth + 1, isText ? "output" : "block");
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
  return named === undefined ? carriesMedia(holder) : !TEXT_TYPE.test(named);
}
