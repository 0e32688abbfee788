import { placeAt, textAt } from "../../core/content/json/json-text.js";
import { parsedJson } from "../../core/content/value/any-json.js";
import { recordOf, stringOf } from "../../util/as-kind.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";

export const MAX_REASON_CHARACTERS = 400;

export interface Message {
  readonly text: string;
  readonly key: string | undefined;
  readonly method: string | undefined;
  readonly params: JsonObject;
  readonly result: unknown;
  readonly error: unknown;
}

export const CODES = {
  serverError: -32_000,
  invalidRequest: -32_600,
  parseError: -32_700,
} as const;

export function readMessage(text: string): Message | undefined {
  const value = parsedJson(text);
  return isRecord(value) && value["jsonrpc"] === "2.0" ? messageOf(text, value) : undefined;
}

export function messageOf(text: string, value: JsonObject): Message {
  const { id, method, params, result, error } = value;
  return {
    text,
    key: requestKey(text, ["id"], id),
    method: (result ?? error) ? undefined : stringOf(method),
    params: recordOf(params) ?? {},
    result,
    error,
  };
}

export function requestKey(text: string, keys: readonly string[], id: unknown): string | undefined {
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return undefined;
  const place = Number.isSafeInteger(id) ? undefined : placeAt(text, keys);
  return place === undefined ? String(id) : textAt(text, place);
}

export function errorAnswer(
  { key = "null" }: Pick<Message, "key">,
  message: string,
  code: number = CODES.serverError,
): string {
  return `{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify({ code, message })}}`;
}
