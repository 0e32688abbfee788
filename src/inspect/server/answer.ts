import type { IncomingMessage, ServerResponse } from "node:http";

import { isRecord } from "../../util/is-record.js";
import { SAFE_HEADERS } from "./headers.js";
import { HttpFault } from "./http-fault.js";

/** Longest body of a request: a program of code fits. */
const MAX_REQUEST_BYTES = 262_144;

/** Sends one answer, whole. */
export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SAFE_HEADERS,
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    ...more,
  });
  response.end(body);
}

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

/**
 * The JSON object that a request brings.
 *
 * @throws {@link HttpFault} for another type, more than 256 KiB, and what is no JSON object.
 */
export async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (request.headers["content-type"] !== "application/json") {
    throw new HttpFault(415, "The body of a request is application/json.");
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_REQUEST_BYTES)
      throw new HttpFault(413, "The body of the request is too long.");
    parts.push(part);
  }
  const value = parsed(Buffer.concat(parts).toString("utf8"));
  if (!isRecord(value)) throw new HttpFault(400, "The body of the request is no JSON object.");
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A whole number of an address; `undefined` when it is not there.
 *
 * @throws {@link HttpFault} for what is none, or outside of its bounds.
 */
export function numberIn(
  { searchParams }: URL,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const text = searchParams.get(name);
  if (text === null) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new HttpFault(400, `${name} is a whole number from ${min} to ${max}.`);
}
