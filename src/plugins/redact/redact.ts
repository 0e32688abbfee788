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
  const clean = checkedOptions<Redact>("redact", callback, given);
  return { name: "redact", setup: () => ({ clean }) };
}
