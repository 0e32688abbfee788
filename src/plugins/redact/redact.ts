import { HOLDS_JSON } from "../../core/content/json/json-text.js";
import type { OffloadPlugin, TextPart } from "../../core/types/plugin.js";
import { stringOf } from "../../util/as-kind.js";
import { callback, checkedOptions } from "../../util/option-rules.js";
import { pause } from "../../util/pause.js";

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
    const held = textInJson(text);
    if (held !== undefined) {
      const shown = await clean(held, part);
      return shown === held ? text : JSON.stringify(shown);
    }
    const cleaned = await own(text, part);
    const readable = await withoutEscapes(text);
    if (readable === text) return cleaned;
    // The original spelling stays if nothing is hidden in escapes.
    const all = await own(readable, part);
    const shown = cleaned === text ? readable : await withoutEscapes(cleaned);
    return shown === all ? cleaned : all;
  }
  return { name: "redact", setup: () => ({ clean }) };
}

/** JSON that was written as a JSON string. */
function textInJson(text: string): string | undefined {
  if (!HOLDS_JSON.test(text)) return undefined;
  try {
    // Without a byte order mark.
    return stringOf(JSON.parse(text.trim()));
  } catch {
    return undefined;
  }
}

/** Also backslashes alone, so that the search never reads far without a match. In JSON within JSON strings, they double with each level. */
const ESCAPES =
  /\\{1,32}(?:u[dD][89abAB][\da-fA-F]{2}\\{1,32}u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}|\/)|\\{1,32}/g;
/** An `&` alone too, so that the search never reads far without a match. A name without its semicolon may be a parameter of an address. */
const REFERENCE = /&(?:amp;){0,9}(?:(?:#\d+|#x[\da-f]+);?|[a-z][a-z\d]{1,30};)?/gi;
/** What the text's format may need. */
const SYNTAX = /[\p{C}\p{Zl}\p{Zp}"\\<>&]/u;
const PARTS_BETWEEN_PAUSES = 8_192;

function characterOfEscape(escape: string): string {
  const [, ...units] = escape.split(/\\+/);
  if (units[0] === "" || units[0] === "/") return units[0] || escape;
  const backslashes = escape.search(/[^\\]/);
  // Other backslashes stand before the escape.
  const own = backslashes & -backslashes;
  const codes = units.map((unit) => Number.parseInt(unit.slice(1), 16));
  let shown = String.fromCodePoint(...codes);
  for (let left = own; left >= 1; left /= 2) shown = JSON.stringify(shown).slice(1, -1);
  return escape.slice(0, backslashes - own) + shown;
}

/** Escapes in JSON and character references in markup become the characters that readers see. */
async function withoutEscapes(text: string): Promise<string> {
  if (!/\\[uUx/]|&/.test(text)) return text;
  const { decodeHTML } = await import("entities/decode");
  const characterOf = (reference: string): string => {
    const decoded = decodeHTML(reference.replaceAll(/amp;(?=.)/gi, ""));
    return SYNTAX.test(decoded) ? reference : decoded;
  };
  return await replaced(await replaced(text, ESCAPES, characterOfEscape), REFERENCE, characterOf);
}

async function replaced(
  text: string,
  pattern: RegExp,
  shown: (found: string) => string,
): Promise<string> {
  const known = new Map<string, string>();
  let made = "";
  let parts: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const put = known.get(found) ?? shown(found);
    known.set(found, put);
    parts.push(text.slice(from, index), put);
    from = index + found.length;
    if (parts.length < PARTS_BETWEEN_PAUSES) continue;
    made += parts.join("");
    parts = [];
    await pause();
  }
  return made + parts.join("") + text.slice(from);
}
