import { fillOf, mostCharacters, type SizeLimit } from "../measure/size-limit.js";
import { bytes } from "../../util/amounts.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";

export interface HeadAndTailInput {
  readonly text: string;
  readonly limit: SizeLimit;
  readonly missing?: { readonly bytes: number; readonly tailCharacters: number } | undefined;
  readonly count: (text: string) => number | Promise<number>;
  readonly notice?: (droppedBytes: number, allBytes: number) => string;
  /**
   * Least UTF-16 units of head and tail, whatever the limit. With 0 both may be empty.
   *
   * @defaultValue {@link LEAST_PART_CHARACTERS}
   */
  readonly leastCharacters?: number;
}

interface HeadAndTail {
  readonly text: string;
  readonly head: string;
  readonly tail: string;
  /** UTF-8 bytes missing between the two. */
  readonly droppedBytes: number;
}

/** In UTF-16 units; shorter texts have less. */
const LEAST_PART_CHARACTERS = 40;
const MOVABLE_SHARE = 0.25;
const SAFETY = 0.97;

/**
 * Exceeds the limit only if there is no room for the notice and the least head and tail. Both end at a line end if
 * one is within a quarter of their length. Returns a text within the limit, or no longer than the result, whole.
 */
export async function headAndTail(input: HeadAndTailInput): Promise<HeadAndTail> {
  const { text, limit, leastCharacters = LEAST_PART_CHARACTERS, notice = usualNotice } = input;
  // Then any part of the text can be its tail.
  const missing = input.missing?.bytes ? input.missing : { bytes: 0, tailCharacters: Infinity };
  const whole = { text, head: text, tail: "", droppedBytes: 0 };
  const fill = fillOf(limit, input.count);
  const maxCharacters = mostCharacters(limit);
  if (missing.bytes === 0 && text.length <= maxCharacters && (await fill(text)) <= 1) {
    return whole;
  }
  const cut = (head: string, tail: string): HeadAndTail => {
    const dropped = text.slice(head.length, text.length - tail.length);
    const droppedBytes = missing.bytes + Buffer.byteLength(dropped);
    const allBytes = missing.bytes + Buffer.byteLength(text);
    const between = notice(droppedBytes, allBytes);
    return { text: `${head}${between}${tail}`, head, tail, droppedBytes };
  };
  let length = Math.floor(Math.min(maxCharacters / 2, text.length / 2, missing.tailCharacters));
  while (length > leastCharacters) {
    const result = cut(
      toLineEnd(headOf(text, length), leastCharacters),
      fromLineStart(tailOf(text, length), leastCharacters),
    );
    const filled = await fill(result.text);
    if (filled <= 1) return result;
    length = Math.min(length - 1, Math.floor((length * SAFETY) / filled));
  }
  const leastLength = Math.min(leastCharacters, Math.floor(text.length / 2));
  const leastTail = Math.min(leastLength, missing.tailCharacters);
  const least = cut(headOf(text, leastLength), tailOf(text, leastTail));
  const isWorth = leastCharacters === 0 || missing.bytes > 0 || least.text.length < text.length;
  return isWorth ? least : whole;
}

/** @source Vectara, Tool-output offloading, What the agent sees. */
export function usualNotice(droppedBytes: number): string {
  return `\n... [truncated ${bytes(droppedBytes)}; head and tail preserved] ...\n`;
}

export function headOf(text: string, length: number): string {
  return text.slice(0, wholeCharactersEnd(text, length));
}

export function tailOf(text: string, length: number): string {
  const start = text.length - length;
  const end = wholeCharactersEnd(text, start);
  return text.slice(end < start ? start + 1 : start);
}

function toLineEnd(head: string, leastCharacters: number): string {
  const end = head.lastIndexOf("\n") + 1;
  return end < leastOf(head, leastCharacters) ? head : head.slice(0, end);
}

function fromLineStart(tail: string, leastCharacters: number): string {
  const start = tail.indexOf("\n") + 1;
  return tail.length - start < leastOf(tail, leastCharacters) ? tail : tail.slice(start);
}

const leastOf = (end: string, leastCharacters: number) =>
  Math.max(leastCharacters, end.length * (1 - MOVABLE_SHARE));
