import type { Clean } from "../../core/types/plugin.js";
import { withDeadline } from "../../util/abort.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";
import { warnOnce } from "../../util/warn-once.js";
import type { JournalText } from "./entry.js";
import type { JournalledPart, JournalRedact } from "./journal.js";

/** A text on its way into an entry. */
export interface RawText extends JournalledPart {
  readonly text: string;
  /** The offloader's own `redact` has not seen it. */
  readonly isRaw?: true;
}

/** Functions that a text passes, in order. */
export interface TextRules {
  readonly clean: Clean;
  readonly ofJournal: JournalRedact | undefined;
}

/** Most that is written of a text, in UTF-16 units. */
const MAX_WRITTEN = { descriptor: 32_768, output: 4_096, arguments: 4_096, title: 300 } as const;
/** Longest text that is redacted: a part of one could begin in the middle of what has to go. */
export const MAX_REDACTED = 65_536;

/** What is written of a text that nobody redacts. */
export function writtenText({ text, part }: RawText): JournalText {
  const end = wholeCharactersEnd(text, MAX_WRITTEN[part]);
  return end === text.length ? { text } : { text: text.slice(0, end), characters: text.length };
}

/** What stands for a text that may not be written, or has no JSON of a size that is worth it. */
export const WITHHELD: JournalText = { text: "", withheld: true };

/** How long is waited for the functions, in milliseconds. */
const MAX_REDACT_MS = 5_000;

/**
 * Makes what gives a text as both functions leave it; it never rejects. While one of them does not answer, nothing more is asked of
 * it, and texts are withheld.
 */
export function createRedaction(rules: TextRules): (raw: RawText) => Promise<JournalText> {
  let late: Promise<unknown> | undefined;
  return async (raw) => {
    if (late !== undefined) return WITHHELD;
    const answer = redactedText(raw, rules);
    try {
      return await withDeadline({ timeoutMs: MAX_REDACT_MS, late: "late" }, () => answer);
    } catch {
      warnOnce(
        `A redact function has not answered for ${MAX_REDACT_MS / 1_000} seconds. The journal is written without texts until it does.`,
      );
      late = answer.finally(() => {
        late = undefined;
      });
      return WITHHELD;
    }
  };
}

/** The same after both functions, whole and before it is cut. Never rejects. */
async function redactedText(raw: RawText, { clean, ofJournal }: TextRules): Promise<JournalText> {
  const { toolName, part, isRaw } = raw;
  try {
    let text: unknown = raw.text;
    // A descriptor is made of what was redacted.
    if (isRaw && part !== "descriptor") {
      text = await clean(raw.text, { toolName, part });
    }
    if (ofJournal !== undefined && typeof text === "string") {
      text = await ofJournal(text, { toolName, part });
    }
    return typeof text === "string" ? writtenText({ ...raw, text }) : WITHHELD;
  } catch {
    return WITHHELD;
  }
}
