import type { ToolOutput, UnwrappedOutput } from "../../types/output.js";
import { MEDIA_KINDS, TEXT_KINDS, TYPE_FIELDS } from "../content-blocks.js";
import { preBudgetSet } from "../mif/pre-budget-set.js";
import { streamOf } from "../stream/output-stream.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { unwrapOutput } from "../unwrap.js";
import { redactStream } from "./redact-stream.js";
import type { Redactor } from "./redactor.js";

/** An output of which nothing is left that may not be kept. */
export interface RedactedOutput {
  readonly output: ToolOutput;
  /** What stands for the value, when anything of it was taken out. Of a stream it is the stream. */
  readonly replaced: UnwrappedOutput | undefined;
}

const MAX_DEPTH = 8;
/** Members of a block that have an address, which may have the whole of a file in it. */
const ADDRESSES = new Set(["url", "uri", "image_url", "file_url", "fileUri", "file_data"]);
/** Longest beginning of such an address, and of a file, that is looked at. */
const MAX_BEGINNING = 1_000;
const FILE_ADDRESS = /^data:[^,]*;base64,/;
const BASE64 = /^[\w+/=\r\n-]*$/;
/** Types of texts, in base64 or not. */
const TEXT_TYPE = /^text|^application\/.*(?:json|xml|yaml|javascript|urlencoded)(?:;|$)/i;

/**
 * Redacts the text of an output, as a model would read it, texts in blocks beside it, its title, arguments, artifact
 * and cursor; an artifact that is no JSON goes. A stream is redacted while it is read.
 *
 * @throws {@link RedactFault}
 */
export async function redactOutput(given: ToolOutput, redactor: Redactor): Promise<RedactedOutput> {
  const { title, args, artifact, redacted: isRedacted = false } = given;
  const nextPage = isRedacted ? undefined : given.nextPage;
  const output: ToolOutput = {
    ...given,
    ...(title !== undefined && { title: await redactor.text(title, "title") }),
    ...(args !== undefined && { args: await redactor.value(args, "arguments") }),
    ...(artifact !== undefined && { artifact: await redactor.value(artifact, "artifact") }),
    ...(nextPage !== undefined && { nextPage: await redactor.value(nextPage, "artifact") }),
  };
  if (isRedacted) return { output, replaced: undefined };
  const stream = streamOf(given.value);
  if (stream !== undefined) {
    return { output: { ...output, value: redactStream(stream, redactor) }, replaced: undefined };
  }
  // Memories in the artifact stand for the text where they are stored; where they are not, it stays.
  const hasSet = given.unwrapped !== true && preBudgetSet(artifact) !== undefined;
  const { text: came, keptBlocks: blocks } = unwrapOutput(hasSet ? { value: given.value } : given);
  const text = came === undefined ? undefined : await redactor.text(came, "output");
  const keptBlocks = await Promise.all(blocks.map((block) => redactBlock(block, redactor)));
  const areKept = keptBlocks.every((block, index) => block === blocks[index]);
  const isSame = text === came && areKept && (await isClean(besideTexts(given.value), redactor));
  if (isSame) return { output, replaced: undefined };
  const value = text === undefined ? keptBlocks : text;
  const own = hasSet ? { ...output, value } : { ...output, value, unwrapped: true as const };
  return { output: own, replaced: { text, keptBlocks } };
}

/** What stands in blocks beside their texts, which are redacted as one: it goes where anything has to be taken out. */
function besideTexts(value: unknown): readonly object[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[])
    .filter((block) => isRecord(block))
    .filter(({ type }) => TEXT_KINDS.has(String(type)))
    .map(({ text: _text, ...beside }) => beside);
}

async function isClean(blocks: readonly object[], redactor: Redactor): Promise<boolean> {
  for (const block of blocks) if ((await redactBlock(block, redactor)) !== block) return false;
  return true;
}

/** A block with every text in it redacted; the same where that changes none. Images and files stay what they are. */
export async function redactBlock(
  block: unknown,
  redactor: Redactor,
  depth: number = 0,
): Promise<unknown> {
  if (typeof block === "string") return await redactor.text(block, "block");
  if (typeof block !== "object" || block === null || ArrayBuffer.isView(block)) return block;
  if (depth >= MAX_DEPTH) return await redactor.value(block, "block");
  const redacted: [string, unknown][] = [];
  let isSame = true;
  for (const [key, value] of Object.entries(block)) {
    const isKept = (depth === 0 && key === "type") || isFile(block, key, value);
    const own = isKept ? value : await redactBlock(value, redactor, depth + 1);
    // Those of the block itself are words of its form.
    const isData = depth > 0 && !Array.isArray(block);
    const ownKey = isData ? await redactor.text(key, "block") : key;
    redacted.push([ownKey, own]);
    isSame &&= own === value && ownKey === key;
  }
  if (isSame) return block;
  return Array.isArray(block) ? redacted.map(([, value]) => value) : Object.fromEntries(redacted);
}

/** Whether a member is a file: its bytes in base64, or an address with these in it. */
function isFile(holder: object, key: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  const beginning = value.slice(0, MAX_BEGINNING);
  if (ADDRESSES.has(key)) return FILE_ADDRESS.test(beginning);
  if (!BASE64.test(beginning)) return false;
  if (key === "blob") return typeof fieldOf(holder, "uri") === "string";
  if (key !== "data") return false;
  const named = TYPE_FIELDS.map((field) => fieldOf(holder, field)).find(
    (type) => typeof type === "string",
  );
  return named === undefined
    ? MEDIA_KINDS.has(String(fieldOf(holder, "type")))
    : !TEXT_TYPE.test(named);
}
