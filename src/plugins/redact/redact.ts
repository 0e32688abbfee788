import type { OffloadPlugin, TextPart } from "../../core/types/plugin.js";
import { callback, checkedOptions } from "../../util/option-rules.js";

/**
 * Returns a text without what must not be kept or seen, or the same text when there is nothing to
 * remove. JSON input, except for `output`, must remain JSON.
 */
export type Redact = (text: string, part: TextPart) => string | Promise<string>;

/**
 * Removes from all outputs what must not be kept or seen, before anything is measured, stored or described. Outputs
 * that stay inline are redacted too. The function receives whole texts, and each line or record of a stream. If it
 * fails, or takes longer than a minute, a sentence replaces the output.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for anything but a function.
 */
export function redact(given: Redact): OffloadPlugin {
  const own = checkedOptions<Redact>("redact", callback, given);
  async function clean(text: string, part: TextPart): Promise<string> {
    const cleaned = await own(text, part);
    const readable = withoutEscapes(text);
    if (readable === text) return cleaned;
    // The original spelling stays if nothing is hidden in escapes.
    const all = await own(readable, part);
    return withoutEscapes(cleaned) === all ? cleaned : all;
  }
  return { name: "redact", setup: () => ({ clean }) };
}

/** Pairs of backslashes escape nothing else. */
const ESCAPE =
  /(?:\\\\)+|\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\u([\da-f]{4})|&#(?:(\d{1,7})|x([\da-f]{1,6}));/gi;
/** What the text's format may need. */
const SYNTAX = /[\p{C}\p{Zl}\p{Zp}"'\\<>&]/u;

/** Escapes in JSON and character references in markup become the characters that readers see. */
function withoutEscapes(text: string): string {
  const known = new Map<string, string>();
  return text.replaceAll(ESCAPE, (escape, ...found: (string | undefined)[]) => {
    let shown = known.get(escape);
    if (shown === undefined) known.set(escape, (shown = characterOf(escape, found)));
    return shown;
  });
}

function characterOf(escape: string, found: readonly (string | undefined)[]): string {
  const [high, low, unit, decimal, hex] = found;
  const codes = [high, low, unit, hex].flatMap((code) => (code ? Number.parseInt(code, 16) : []));
  if (decimal) codes.push(Number(decimal));
  if (codes.length === 0 || codes.some((code) => code > 0x10_ffff)) return escape;
  const shown = String.fromCodePoint(...codes);
  return SYNTAX.test(shown) ? escape : shown;
}
