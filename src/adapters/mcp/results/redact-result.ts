import { elementTexts, placeAt, textAt } from "../../../content/json/json-place.js";
import { redactBlock } from "../../../content/redact/redact-output.js";
import {
  createRedactor,
  parsed,
  RedactFault,
  type RedactedPart,
  type Redactor,
  withheldSentence,
} from "../../../content/redact/redactor.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { isRecord } from "../../../util/is-record.js";

type McpResult = Readonly<Record<string, unknown>>;

/** A result as it came, and the call that it answers. */
interface GivenResult {
  /** Its text, valid JSON. */
  readonly json: string;
  /** The same, parsed. */
  readonly result: McpResult;
  readonly toolName: string;
  readonly callId: string;
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
    const members = await Promise.all(
      Object.keys(result).map(async (key) => {
        const place = placeAt(json, [key]);
        const came = place === undefined ? JSON.stringify(result[key]) : textAt(json, place);
        const own = await redactMember({ key, came, value: result[key] }, redactor);
        return { key, came, own };
      }),
    );
    if (members.every(({ came, own }) => came === own)) return { isWithheld: false, json, result };
    const redacted = members.map(({ key, own }) => `${JSON.stringify(key)}:${own}`).join();
    const text = `{${redacted}}`;
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
  call: Pick<GivenResult, "toolName" | "callId">,
): Promise<string> {
  const { toolName, callId } = call;
  if (!isRecord(result)) return json;
  return (await redactResult(offloader, { json, result, toolName, callId })).json;
}

/** The JSON of an error that a server answers a call of a tool with, in place of a result. Never rejects. */
export async function redactedError(
  offloader: Offloader,
  json: string,
  { toolName, callId }: Pick<GivenResult, "toolName" | "callId">,
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
      const own = await redactBlock(block, redactor);
      return own === block ? (spelled[index] ?? JSON.stringify(block)) : JSON.stringify(own);
    }),
  );
  return redacted.every((text, index) => text === spelled[index]) ? came : `[${redacted.join()}]`;
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
  { toolName, callId: toolCallId }: Pick<GivenResult, "toolName" | "callId">,
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
