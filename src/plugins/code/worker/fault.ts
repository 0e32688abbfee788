import { isRecord } from "../../../util/is-record.js";
import type { CodeFault } from "../request.js";

/** What becomes an exception in the code, by its message. */
export class GuestFault extends Error {}

/** Ends the guest: its time is over. */
export class TimeOver extends Error {}

/** How the code is named in a stack. */
export const CODE_FILE = "code.js";

/** What is told of an error of the guest's. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

const PLACE = /code\.js:(\d+)/;
const MAX_SOURCE_CHARACTERS = 120;
const MAX_MESSAGE_CHARACTERS = 1000;

/** What the guest's prelude tells of an error, as JSON; `undefined` when the code has changed that, or it is cut. */
export function readError(json: string): GuestError | undefined {
  try {
    const told: unknown = JSON.parse(json);
    if (!isRecord(told)) return undefined;
    const { name, message, stack } = told;
    return { name: textOr(name), message: textOr(message), stack: textOr(stack) };
  } catch {
    return undefined;
  }
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Where and why code failed. */
export function faultOf({ name, message, stack }: GuestError, code: string): CodeFault {
  const isPlain = name === "" || name === "Error" || message === "";
  const told = isPlain ? message || name || "Error" : `${name}: ${message}`;
  const fault = { message: told.slice(0, MAX_MESSAGE_CHARACTERS) };
  const [, place] = PLACE.exec(stack) ?? [];
  if (place === undefined) return fault;
  const lines = code.split("\n");
  const line = Math.min(Number(place), lines.length);
  return { ...fault, line, source: lines[line - 1]?.trim().slice(0, MAX_SOURCE_CHARACTERS) };
}
