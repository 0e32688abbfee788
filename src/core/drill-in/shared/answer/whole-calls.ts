/** How a call begins that an answer names to go on; it ends with its line. */
const CALL = /(?:^|\s)(?:Next call|For th[a-z ]{1,40}): /;

/** Said in place of a call that has no room. */
export const NO_ROOM_FOR_CALL: string =
  "The next call has no room here: ask for less, or for a longer answer.";

/** Whether a line names a call that goes on. */
export function holdsCall(line: string): boolean {
  return CALL.test(line);
}

/** Length of the longest prefix of at most `length` UTF-16 units that ends inside no call, nor with one, where more of the text follows. */
export function wholeCallsEnd(text: string, length: number): number {
  if (length >= text.length) return length;
  const start = length === 0 ? 0 : text.lastIndexOf("\n", length - 1) + 1;
  const next = text.indexOf("\n", length);
  const call = CALL.exec(text.slice(start, next === -1 ? text.length : next));
  return call === null ? length : Math.min(length, start + call.index);
}
