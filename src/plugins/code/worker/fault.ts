import { isRecord } from "../../../util/is-record.js";
import type { CodeFault } from "../request.js";

/** How the code is named in a stack. */
export const CODE_FILE = "code.js";
/** What stands before the first line of code that returns. */
export const WRAP_START = "(async()=>{";
export const WRAP_END = "\n})()";

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
    const [name = "", message = "", stack = ""] = [told.name, told.message, told.stack].map(
      (part) => (typeof part === "string" ? part : ""),
    );
    return { name, message, stack };
  } catch {
    return undefined;
  }
}

/** Whether an error says that the guest's memory is used up. */
export function isOutOfMemory({ name, message }: GuestError): boolean {
  return name === "InternalError" && message === "out of memory";
}

/** Where and why code failed. */
export function faultOf({ name, message, stack }: GuestError, code: string): CodeFault {
  const lines = code.split("\n");
  const [, lineText] = PLACE.exec(stack) ?? [];
  const line = lineText === undefined ? undefined : Math.min(Number(lineText), lines.length);
  const isPlain = name === "" || name === "Error";
  const told = isPlain || message === "" ? message || name || "Error" : `${name}: ${message}`;
  return {
    message: told.slice(0, MAX_MESSAGE_CHARACTERS),
    line,
    source:
      line === undefined ? undefined : lines[line - 1]?.trim().slice(0, MAX_SOURCE_CHARACTERS),
  };
}
