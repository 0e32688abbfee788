import { elementTexts, placeAt, textAt } from "../../../core/content/json/json-text.js";
import { cleanBlock } from "../../../core/content/clean/clean-output.js";
import { type Cleaner, withheldSentence } from "../../../core/content/clean/cleaner.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { isRecord } from "../../../util/is-record.js";
import { resourceText } from "./resource-text.js";
import { textOf } from "./text-block.js";

type McpResult = Readonly<Record<string, unknown>>;

/** In the place of a tool, for what is of none. */
const SERVER = "server";

/** The call that is answered. */
interface ToolCall {
  readonly toolName: string;
  readonly callId: string;
}

/** A result as it came, and the call that it answers. */
interface GivenResult extends ToolCall {
  /** Its text, valid JSON. */
  readonly json: string;
  /** The same, parsed. */
  readonly result: McpResult;
}

/** A result of which nothing is left that may not be shown, and its text; or the answer that says that there is none. */
type RedactedResult =
  | { readonly isWithheld: false; readonly json: string; readonly result: McpResult }
  | { readonly isWithheld: true; readonly json: string };

/**
 * Redacts the texts of a result's blocks, its structured content, and what stands beside them, whichever of them a client
 * shows. What nothing was taken out of keeps its spelling, and numbers keep theirs everywhere.
 */
export async function redactResult(
  offloader: Offloader,
  { json, result, toolName, callId }: GivenResult,
): Promise<RedactedResult> {
  const cleaner = cleanerOf(offloader, { toolName, callId });
  if (cleaner === undefined) return { isWithheld: false, json, result };
  try {
    const text = await redactMembers(json, result, cleaner);
    if (text === json) return { isWithheld: false, json, result };
    return { isWithheld: false, json: text, result: JSON.parse(text) };
  } catch {
    return { isWithheld: true, json: withheldResult(toolName) };
  }
}

/** The same of a result that is not offloaded: its JSON. Never rejects. */
export async function redactedJson(
  offloader: Offloader,
  json: string,
  result: unknown,
  { toolName, callId }: ToolCall,
): Promise<string> {
  if (!isRecord(result)) return json;
  return (await redactResult(offloader, { json, result, toolName, callId })).json;
}

/**
 * The JSON of what is said of a task, such as its message and its error; `undefined` where it cannot be redacted. Never rejects.
 *
 * @param call.done - The member that has its result, which is redacted as that.
 */
export async function redactedTask(
  offloader: Offloader,
  json: string,
  task: McpResult,
  { toolName, callId, done }: ToolCall & { readonly done: string | undefined },
): Promise<string | undefined> {
  const cleaner = cleanerOf(offloader, { toolName, callId });
  if (cleaner === undefined) return json;
  try {
    return await redactMembers(json, task, cleaner, done);
  } catch {
    return undefined;
  }
}

/** The JSON of an error that a server answers a call of a tool with, in place of a result. Never rejects. */
export async function redactedError(
  offloader: Offloader,
  json: string,
  { toolName, callId }: ToolCall,
): Promise<string> {
  const cleaner = cleanerOf(offloader, { toolName, callId });
  if (cleaner === undefined) return json;
  try {
    return await cleaner.json(json, "artifact");
  } catch {
    return JSON.stringify({ code: -32_000, message: withheldSentence(toolName) });
  }
}

/**
 * A sentence that may be in the server's words. Never rejects.
 *
 * @param call - The call that it answers; without one it is a warning.
 */
export async function redactedSentence(
  offloader: Offloader,
  sentence: string,
  { toolName, callId }: ToolCall = { toolName: SERVER, callId: SERVER },
): Promise<string> {
  const cleaner = cleanerOf(offloader, { toolName, callId });
  if (cleaner === undefined) return sentence;
  try {
    return await cleaner.text(sentence, "line");
  } catch {
    return withheldSentence(toolName);
  }
}

/**
 * The JSON of an object whose members are redacted one by one; the same text where nothing is taken out.
 *
 * @param done - A member that stays as it is.
 */
async function redactMembers(
  json: string,
  object: McpResult,
  cleaner: Cleaner,
  done?: string,
): Promise<string> {
  const members = await Promise.all(
    Object.keys(object).map(async (key) => {
      const place = placeAt(json, [key]);
      const came = place === undefined ? JSON.stringify(object[key]) : textAt(json, place);
      const member = { key, came, value: object[key] };
      return { key, came, own: key === done ? came : await redactMember(member, cleaner) };
    }),
  );
  if (members.every(({ came, own }) => came === own)) return json;
  return `{${members.map(({ key, own }) => `${JSON.stringify(key)}:${own}`).join()}}`;
}

/** One member of a result, and its JSON as it came. */
interface Member {
  readonly key: string;
  readonly came: string;
  readonly value: unknown;
}

/** The JSON of a member as `redact` leaves it; the same text where it takes nothing out. */
async function redactMember({ key, came, value }: Member, cleaner: Cleaner): Promise<string> {
  if (key === "content" && Array.isArray(value)) return await redactContent(came, value, cleaner);
  // The cursor of the next page is among what stands beside.
  return await cleaner.json(came, key === "structuredContent" ? "output" : "artifact");
}

async function redactContent(
  came: string,
  blocks: readonly unknown[],
  cleaner: Cleaner,
): Promise<string> {
  const place = placeAt(came, []);
  const spelled = (place && elementTexts(came, place)) ?? [];
  const redacted = await Promise.all(
    blocks.map(async (block, index) => {
      const own = await cleanBlock(block, readAsOutput(block, cleaner));
      return own === block ? (spelled[index] ?? JSON.stringify(block)) : JSON.stringify(own);
    }),
  );
  return redacted.every((text, index) => text === spelled[index]) ? came : `[${redacted.join()}]`;
}

/** Gives the text of a block as the output that a model reads; what else is said in the block stands beside it. */
function readAsOutput(block: unknown, cleaner: Cleaner): Cleaner {
  const read = textOf(block) ?? resourceText(block);
  return {
    ...cleaner,
    text: (text, part) => cleaner.text(text, text === read ? "output" : part),
  };
}

function cleanerOf(
  offloader: Offloader,
  { toolName, callId: toolCallId }: ToolCall,
): Cleaner | undefined {
  return internals(offloader).host.cleanerOf({ toolName, toolCallId });
}

/** An error: what a tool declares of its results does not hold for it. */
function withheldResult(toolName: string): string {
  const text = withheldSentence(toolName);
  return JSON.stringify({ content: [{ type: "text", text }], isError: true });
}
