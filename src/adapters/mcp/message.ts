import { elementTexts, placeAt, textAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";

/** Most of what is told of a server's own words, so that no page of it is: it is cut when it is redacted. */
export const MAX_REASON_CHARACTERS = 400;

/** One JSON-RPC message: its text as it came, and what is looked at. */
export interface Message {
  readonly text: string;
  /** What tells requests apart; `undefined` for a notification. */
  readonly key: string | undefined;
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** JSON-RPC's codes. */
export const CODES = {
  serverError: -32_000,
  invalidRequest: -32_600,
  parseError: -32_700,
} as const;

/**
 * Reads a line or a body: one message, or the messages of a batch, one by one. `undefined` when it is
 * no JSON-RPC. Never throws.
 */
export function readMessages(text: string): readonly Message[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return isMessage(value) ? [messageOf(text, value)] : undefined;
    const place = placeAt(text, []);
    const texts = (place && elementTexts(text, place)) ?? [];
    return value.length > 0 && value.every(isMessage)
      ? value.map((one, index) => messageOf(texts[index] ?? "", one))
      : undefined;
  } catch {
    return undefined;
  }
}

/** A message that was parsed already, such as those that transports of an SDK carry. */
export function messageOf(text: string, value: object): Message {
  const method: unknown = Reflect.get(value, "method");
  const params: unknown = Reflect.get(value, "params");
  return {
    text,
    key: requestKey(Reflect.get(value, "id"), () => spelledAt(text, ["id"])),
    method: typeof method === "string" ? method : undefined,
    params: isRecord(params) ? params : {},
    result: Reflect.get(value, "result"),
  };
}

/**
 * What tells requests apart: ids `1` and `"1"` are different ones, and so are `9007199254740992` and
 * `9007199254740993`.
 *
 * @param id - As `JSON.parse` gives it.
 * @param spelled - Its JSON, for numbers that a double does not hold.
 */
function requestKey(id: unknown, spelled: () => string | undefined): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return undefined;
  return Number.isSafeInteger(id) ? String(id) : spelled();
}

/**
 * Whether an answer with the one id is one to a request with the other, both as JSON: some servers write the number as a
 * text, or round it, and the clients of the official SDKs take it.
 */
export function isSameId(said: string | undefined, asked: string | undefined): boolean {
  if (said === undefined || asked === undefined) return false;
  const ids: readonly unknown[] = [JSON.parse(said), JSON.parse(asked)];
  return ids[0] === ids[1] || Number(ids[0]) === Number(ids[1]);
}

/** The key of the request that a `notifications/cancelled` names. */
export function cancelledKey({ text, params }: Message): string | undefined {
  return requestKey(params["requestId"], () => spelledAt(text, ["params", "requestId"]));
}

/** A result as the answer to this request. */
export function resultAnswer({ key = "null" }: Message, result: string): string {
  return `{"jsonrpc":"2.0","id":${key},"result":${result}}`;
}

/** An error as the answer to this request. */
export function errorAnswer(
  { key = "null" }: Message,
  reason: string,
  code: number = CODES.serverError,
): string {
  return errorText(key, code, reason);
}

/** The answer to who sent a longer message than is read. */
export function tooLongAnswer(id: string, reason: string): string {
  return errorText(id, CODES.invalidRequest, reason);
}

/** The answer to what {@link readMessages} does not take. */
export function unreadableAnswer(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const hasId = isRecord(value) && ["string", "number"].includes(typeof value["id"]);
    const id = (hasId ? spelledAt(text, ["id"]) : undefined) ?? "null";
    const reason = "This is JSON, but no message of JSON-RPC 2.0.";
    return errorText(id, CODES.invalidRequest, reason);
  } catch {
    return errorText("null", CODES.parseError, "This is no JSON.");
  }
}

function errorText(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}

function spelledAt(text: string, keys: readonly string[]): string | undefined {
  const place = placeAt(text, keys);
  return place && textAt(text, place);
}

function isMessage(value: unknown): value is object {
  return isRecord(value) && value["jsonrpc"] === "2.0";
}
