import { elementTexts, placeAt, textAt } from "../../../core/content/json/json-place.js";
import { redactBlock } from "../../../core/content/redact/redact-output.js";
import {
  createRedactor,
  parsed,
  RedactFault,
  type RedactedPart,
  type Redactor,
  withheldSentence,
} from "../../../core/content/redact/redactor.js";
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
  const { redact } = offloader.options;
  if (redact === undefined) return { isWithheld: false, json, result };
  const redactor = createRedactor(redact, toolName);
  try {
    const text = await redactMembers(json, result, redactor);
    if (text === json) return { isWithheld: false, json, result };
    return { isWithheld: false, json: text, result: parsed(text) };
  } catch (fault) {
    tellFailed(offloader, fault, { toolName, callId });
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
  const { redact } = offloader.options;
  if (redact === undefined) return json;
  try {
    return await redactMembers(json, task, createRedactor(redact, toolName), done);
  } catch (fault) {
    tellFailed(offloader, fault, { toolName, callId });
    return undefined;
  }
}

/** The JSON of an error that a server answers a call of a tool with, in place of a result. Never rejects. */
export async function redactedError(
  offloader: Offloader,
  json: string,
  { toolName, callId }: ToolCall,
): Promise<string> {
  const { redact } = offloader.options;
  if (redact === undefined) return json;
  try {
    return await redactJson(json, "artifact", createRedactor(redact, toolName));
  } catch (fault) {
    tellFailed(offloader, fault, { toolName, callId });
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
  const { redact } = offloader.options;
  if (redact === undefined) return sentence;
  try {
    return await createRedactor(redact, toolName).text(sentence, "line");
  } catch (fault) {
    tellFailed(offloader, fault, { toolName, callId });
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
  redactor: Redactor,
  done?: string,
): Promise<string> {
  const members = await Promise.all(
    Object.keys(object).map(async (key) => {
      const place = placeAt(json, [key]);
      const came = place === undefined ? JSON.stringify(object[key]) : textAt(json, place);
      const member = { key, came, value: object[key] };
      return { key, came, own: key === done ? came : await redactMember(member, redactor) };
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
async function redactMember({ key, came, value }: Member, redactor: Redactor): Promise<string> {
  if (key === "content" && Array.isArray(value)) return await redactContent(came, value, redactor);
  // The cursor of the next page is among what stands beside.
  return await redactJson(came, key === "structuredContent" ? "output" : "artifact", redactor);
}

async function redactContent(
  came: string,
  blocks: readonly unknown[],
  redactor: Redactor,
): Promise<string> {
  const place = placeAt(came, []);
  const spelled = (place && elementTexts(came, place)) ?? [];
  const redacted = await Promise.all(
    blocks.map(async (block, index) => {
      const own = await redactBlock(block, readAsOutput(block, redactor));
      return own === block ? (spelled[index] ?? JSON.stringify(block)) : JSON.stringify(own);
    }),
  );
  return redacted.every((text, index) => text === spelled[index]) ? came : `[${redacted.join()}]`;
}

/** Gives the text of a block as the output that a model reads; what else is said in the block stands beside it. */
function readAsOutput(block: unknown, redactor: Redactor): Redactor {
  const read = textOf(block) ?? resourceText(block);
  return {
    ...redactor,
    text: (text, part) => redactor.text(text, text === read ? "output" : part),
  };
}

/** @throws {@link RedactFault} where what was JSON is none any more. */
async function redactJson(
  came: string,
  part: RedactedPart["part"],
  redactor: Redactor,
): Promise<string> {
  const own = await redactor.text(came, part);
  if (own !== came) parsed(own);
  return own;
}

function tellFailed(
  offloader: Offloader,
  fault: unknown,
  { toolName, callId: toolCallId }: ToolCall,
): void {
  const error: unknown = fault instanceof RedactFault ? fault.cause : fault;
  const told = { option: "redact", toolName, toolCallId, error } as const;
  internals(offloader).notify({ type: "option-failed", ...told });
}

/** An error: what a tool declares of its results does not hold for it. */
function withheldResult(toolName: string): string {
  const text = withheldSentence(toolName);
  return JSON.stringify({ content: [{ type: "text", text }], isError: true });
}
