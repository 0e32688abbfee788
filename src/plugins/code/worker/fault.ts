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

/** What the guest's prelude tells of an error. */
export function readError(told: string): GuestError {
  const [name = "", stack = "", ...message] = told.split("\0");
  return { name, stack, message: message.join("\0") };
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
