import { elementTexts, placeAt, textAt } from "../json-place.js";
import { isRecord } from "../../is-record.js";

/** One JSON-RPC message: its text as it came, and what is looked at. */
export interface Message {
  readonly text: string;
  /** What tells requests apart; `undefined` for a notification. */
  readonly key: string | undefined;
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** JSON-RPC's code for what the server did not answer. */
const SERVER_ERROR = -32_000;

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
    return value.every(isMessage)
      ? value.map((one, index) => messageOf(texts[index] ?? "", one))
      : undefined;
  } catch {
    return undefined;
  }
}

/** A message that was parsed already, such as those that transports of an SDK carry. */
export function messageOf(text: string, value: object): Message {
  const id: unknown = Reflect.get(value, "id");
  const method: unknown = Reflect.get(value, "method");
  const params: unknown = Reflect.get(value, "params");
  return {
    text,
    key: requestKey(id),
    method: typeof method === "string" ? method : undefined,
    params: isRecord(params) ? params : {},
    result: Reflect.get(value, "result"),
  };
}

/** What tells requests apart: ids `1` and `"1"` are different ones. */
export function requestKey(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : undefined;
}

/** A result as the answer to this request, its id spelled as it came. */
export function resultAnswer(request: Message, result: string): string {
  return `{"jsonrpc":"2.0","id":${idOf(request)},"result":${result}}`;
}

/** An error as the answer to this request. */
export function errorAnswer(request: Message, reason: string): string {
  const error = JSON.stringify({ code: SERVER_ERROR, message: reason });
  return `{"jsonrpc":"2.0","id":${idOf(request)},"error":${error}}`;
}

function idOf({ text }: Message): string {
  const place = placeAt(text, ["id"]);
  return place === undefined ? "null" : textAt(text, place);
}

function isMessage(value: unknown): value is object {
  return isRecord(value) && value["jsonrpc"] === "2.0";
}
