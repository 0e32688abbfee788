import type { CodeFault } from "../request.js";
import type { Explained } from "./explained.js";
import { type FaultContext, hintFor } from "./hints.js";

/** How the code is named in a stack. */
export const CODE_FILE = "code.js";
/** What stands before the first line of code that returns. */
export const WRAP_START = "(async()=>{";
export const WRAP_END = "\n})()";

const PLACE = /code\.js:(\d+)(?::(\d+))?/;
const MAX_SOURCE_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 1000;
/** Of a line that is looked at for a hint: the patterns take the square of its length. */
const MAX_HINT_CHARACTERS = 1000;

/** Where and why code failed, and what to write instead. */
export function faultOf(
  explained: Explained,
  code: string,
  {
    isWrapped,
    ...context
  }: Omit<FaultContext, "source" | "column"> & { readonly isWrapped: boolean },
): CodeFault {
  const { stack } = explained;
  const lines = code.split("\n");
  const [, lineText, columnText] = PLACE.exec(stack) ?? [];
  const line = lineText === undefined ? undefined : Math.min(Number(lineText), lines.length);
  const before = isWrapped && line === 1 ? WRAP_START.length : 0;
  const column = Number(columnText ?? 0) - before;
  const source = line === undefined ? undefined : (lines[line - 1] ?? "");
  return {
    message: shownAs(explained).slice(0, MAX_MESSAGE_CHARACTERS),
    line,
    source: source?.trim().slice(0, MAX_SOURCE_CHARACTERS),
    hint: hintFor(explained, {
      ...context,
      source: source?.slice(0, MAX_HINT_CHARACTERS) ?? "",
      column,
    }),
  };
}

function shownAs({ name, message }: Explained): string {
  if (message === "") return name === "" ? "Error" : name;
  return name === "" || name === "Error" ? message : `${name}: ${message}`;
}
