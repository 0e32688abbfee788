import { describeAsAtlatl } from "./response.js";
import { prefixName } from "../../core/store/name-rules.js";
import type { OffloadOptions } from "../../core/options/options.js";

/**
 * The older revision of Large Result Offloading: over 6,400 tokens, JSON lines with a header for one hour, an
 * OffloadResponse with its own ten recipes. There is no extraction tool in it: recipe numbers mean
 * something else in the newer one. `config` comes before its threshold, and fills life and directory.
 *
 * @source LRO specification, older revision: Threshold Detection, Standard jq Recipe Library, Cleanup and Lifecycle.
 */
export function atlatl(): OffloadOptions {
  return {
    measure: { tokenizer: "o200k_base" },
    decide: { defaultThreshold: { tokens: 6400 } },
    encode: "lro",
    fileName: prefixName("atlatl"),
    describe: { describer: describeAsAtlatl },
    drillIn: { names: { extract: false } },
    retention: {},
  };
}
