import type { CodeFault } from "../request.js";

/** What becomes an exception in the code, by its message. */
export class GuestFault extends Error {}

/** Ends the guest: its time is over. */
export class TimeOver extends Error {}

/** How the code is named in a stack. */
export const CODE_FILE = "code.js";

const PLACE = /code\.js:(\d+)/;
const MAX_SOURCE_CHARACTERS = 120;
const MAX_MESSAGE_CHARACTERS = 1000;

/**
 * Where and why code failed.
 *
 * @param told - What the guest's prelude tells of an error: its stack, a zero, its name and message.
 */
export function faultOf(told: string, code: string): CodeFault {
  const [stack = "", ...message] = told.split("\0");
  const fault = { message: message.join("\0").slice(0, MAX_MESSAGE_CHARACTERS) };
  const [, place] = PLACE.exec(stack) ?? [];
  if (place === undefined) return fault;
  const lines = code.split("\n");
  const line = Math.min(Number(place), lines.length);
  return { ...fault, line, source: lines[line - 1]?.trim().slice(0, MAX_SOURCE_CHARACTERS) };
}
