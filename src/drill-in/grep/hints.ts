import type { DrillInToolNames } from "../../types/result.js";

/** How arguments are switched on, where the tool has them. */
interface Switches {
  readonly literal?: string | undefined;
  readonly invert?: string | undefined;
}

type Hint = (names: DrillInToolNames, switches: Switches) => string;

function lookaroundHint({ jq }: DrillInToolNames, { invert }: Switches): string {
  const without = invert === undefined ? "" : `; to leave lines out, search for them and ${invert}`;
  const both = `To require two words write A.*B|B.*A${without}.`;
  const records =
    jq === undefined
      ? ""
      : ` Over records use ${jq}: select(tostring | test("A") and (test("B") | not)).`;
  return `Lookaround, (?=…), (?!…), (?<=…), (?<!…), is not supported. ${both}${records}`;
}

function backreferenceHint({ jq }: DrillInToolNames): string {
  const records =
    jq === undefined ? "" : `, or compare the two fields with ${jq}: select(.a == .b)`;
  return `Backreferences, \\1, \\k<name>, are not supported. Spell the repeated text out, such as aa|bb${records}.`;
}

const HINTS: readonly (readonly [RegExp, Hint])[] = [
  [/\(\?<?[=!]/, lookaroundHint],
  [/\\[1-9]|\\k[<{']|\(\?P=/, backreferenceHint],
  [
    /\(\?>|[*+?}]\+/,
    () =>
      "Atomic groups and possessive quantifiers are not supported, nor needed: matching takes linear time. Leave them out.",
  ],
  [/\{(?:\d{4,}|\d{0,9},\d{4,})/, () => "A repetition count is at most 1,000. Use * or +."],
];

/** What to write instead of a pattern that was refused. */
export function hintForPattern(
  pattern: string,
  names: DrillInToolNames,
  switches: Switches = {},
): string {
  const found = HINTS.find(([construct]) => construct.test(pattern));
  return (
    found?.[1](names, switches) ??
    `Check brackets and escapes (RE2 syntax)${switches.literal === undefined ? "" : `; to search for the text as it is, ${switches.literal}`}.`
  );
}
