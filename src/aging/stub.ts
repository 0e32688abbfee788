import { fillOf, firstWithin } from "../measure/size-limit.js";
import { grouped } from "../util/amounts.js";
import { type Gist, gistText } from "./gist.js";

/** What a stub says. */
export interface StubParts {
  readonly toolName: string;
  readonly gist: Gist;
  /** Tokens of the result that it stands for. */
  readonly tokens: number;
  /** The call that gives the result whole, or a sentence that says how. */
  readonly call: string;
}

/** Most tokens of a stub. */
export const MAX_STUB_TOKENS = 40;

/** Words of a gist that are tried, most first. */
const WORDS = [8, 7, 6, 5, 4, 3, 2, 1];

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/**
 * The line that stands for a result that has left the context: what it was, how large, and the call that gives it back. It has
 * at most 40 tokens, unless the call alone takes more. Equal parts give equal text.
 */
export async function stubOf(
  parts: StubParts,
  count: (text: string) => Promise<number>,
): Promise<string> {
  // An id takes 13 to 23 tokens: room for the dearest one would leave none for a gist. So ids decide on a word or two.
  const fill = fillOf({ tokens: MAX_STUB_TOKENS }, count);
  return (await firstWithin(candidates(parts), fill, 1)) ?? "";
}

function* candidates({ toolName, gist, tokens, call }: StubParts): Generator<string> {
  const size = `${grouped(tokens)} tokens. ${call}]`;
  const name = PLAIN_NAME.test(toolName) ? toolName : "";
  for (const words of name === "" ? [] : WORDS) {
    const about = gistText(gist, words);
    yield about === "" ? `[aged: ${name}, ${size}` : `[aged: ${name} → ${about}; ${size}`;
  }
  // The call that it answers names the tool too.
  for (const words of WORDS) {
    const about = gistText(gist, words);
    if (about !== "") yield `[aged: ${about}; ${size}`;
  }
  yield `[aged: ${size}`;
}
