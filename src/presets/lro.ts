import { prefixName } from "../core/store/name-rules.js";
import type { OffloadOptions } from "../core/options/options.js";

/**
 * The Large Result Offloading specification, newer revision: over 1,600 tokens, JSON lines in the
 * system's temporary directory for one hour, an OffloadResponse with ten recipes. But for the extraction tool
 * these are the defaults of every option, so the preset states none of the values that settings stand for:
 * `config` fills them. Its empty parts keep out what another preset gave when it is for one tool.
 *
 * @source LRO specification, sections Threshold Detection, JSONL File Format, Cleanup and Lifecycle, Native Extraction.
 */
export function lro(): OffloadOptions {
  return {
    measure: { tokenizer: "o200k_base" },
    decide: {},
    encode: "lro",
    fileName: prefixName("atlatl"),
    describe: { form: "auto" },
    drillIn: { names: { extract: "lro_extract" } },
    retention: {},
  };
}
