import type { ToolOutput, UnwrappedOutput } from "../../types/output.js";
import { MEDIA_KINDS, TYPE_FIELDS } from "../content-blocks.js";
import { preBudgetSet } from "../mif/pre-budget-set.js";
import { streamOf } from "../stream/output-stream.js";
import { fieldOf } from "../../util/field-of.js";
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
const ADDRESSES = new Set(["url", "uri", "image_url", "file_url", "fileUri"]);

/**
 * Redacts the text of an output, as a model would read it, texts in blocks beside it, its title, arguments, artifact
 * and cursor; an artifact that is no JSON goes. A stream is redacted while it is read.
 *
 * @throws {@link RedactFault}
 */
export async function redactOutput(given: ToolOutput, redactor: Redactor): Promise<RedactedOutput> {
  const { title, args, artifact, nextPage } = given;
  const output: ToolOutput = {
    ...given,
    ...(title !== undefined && { title: await redactor.text(title, "title") }),
    ...(args !== undefined && { args: await redactor.value(args, "arguments") }),
    ...(artifact !== undefined && { artifact: await redactor.value(artifact, "artifact") }),
    ...(nextPage !== undefined && { nextPage: await redactor.value(nextPage, "artifact") }),
  };
  const stream = streamOf(given.value);
  if (stream !== undefined) {
    return { output: { ...output, value: redactStream(stream, redactor) }, replaced: undefined };
  }
  // Memories in the artifact stand for the text where they are stored; where they are not, it stays.
  const hasSet = given.unwrapped !== true && preBudgetSet(artifact) !== undefined;
  const { text: came, keptBlocks: blocks } = unwrapOutput(hasSet ? { value: given.value } : given);
  const text = came === undefined ? undefined : await redactor.text(came, "output");
  const keptBlocks = await Promise.all(blocks.map((block) => redactBlock(block, redactor)));
  const isSame = text === came && keptBlocks.every((block, index) => block === blocks[index]);
  if (isSame) return { output, replaced: undefined };
  const value = text === undefined ? keptBlocks : text;
  const own = hasSet ? { ...output, value } : { ...output, value, unwrapped: true as const };
  return { output: own, replaced: { text, keptBlocks } };
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
    const isKept = key === "type" || isFile(block, key, value);
    const own = isKept ? value : await redactBlock(value, redactor, depth + 1);
    redacted.push([key, own]);
    isSame &&= own === value;
  }
  if (isSame) return block;
  return Array.isArray(block) ? redacted.map(([, value]) => value) : Object.fromEntries(redacted);
}

/** Whether a member is a file: its bytes in base64, or an address with these in it. */
function isFile(holder: object, key: string, value: unknown): boolean {
  if (ADDRESSES.has(key)) return String(value).slice(0, 5) === "data:";
  if (key === "blob" || key === "file_data") return true;
  if (key !== "data") return false;
  const named = TYPE_FIELDS.map((field) => fieldOf(holder, field)).find(
    (type) => typeof type === "string",
  );
  return named === undefined
    ? MEDIA_KINDS.has(String(fieldOf(holder, "type")))
    : !named.startsWith("text");
}
