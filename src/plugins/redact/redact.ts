import type { OffloadPlugin, TextPart } from "../../core/types/plugin.js";
import { callback, checkedOptions } from "../../util/option-rules.js";

/**
 * Takes out of a text what nobody may keep or see, and gives the rest; the same text where there is nothing. What it
 * is given as JSON, but for `output`, has to be JSON afterwards.
 */
export type Redact = (text: string, part: TextPart) => string | Promise<string>;

/**
 * Takes out of all outputs what nobody may keep or see, before anything is measured, stored or described; what stays
 * inline is redacted too. The function is called with whole texts, and of streams with each line or record. Where it
 * fails, or takes longer than a minute, a sentence takes the place of the output.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for anything but a function.
 */
export function redact(given: Redact): OffloadPlugin {
  const clean = checkedOptions<Redact>("redact", callback, given);
  return { name: "redact", setup: () => ({ clean }) };
}
