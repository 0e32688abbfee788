import { atlatlRecipesFor } from "./recipes.js";
import { describeAsAtlatl } from "./response.js";
import { prefixName } from "../../store/name-rules.js";
import type { OffloadOptions } from "../../options/options.js";

/**
 * The older revision of Large Result Offloading: over 6,400 tokens, JSON lines with a header for one hour, an
 * OffloadResponse with its own ten recipes. There is no extraction tool in it: recipe numbers mean
 * something else in the newer one. Its threshold is an option and comes before that of `config`; life and directory are the defaults,
 * which `config` fills.
 *
 * @source LRO specification, older revision: Threshold Detection, Standard jq Recipe Library, Cleanup and Lifecycle.
 */
export function atlatl(): OffloadOptions {
  return {
    measure: { tokenizer: "o200k_base" },
    threshold: { tokens: 6400 },
    decide: {},
    encode: "lro",
    fileName: prefixName("atlatl"),
    describe: { describer: describeAsAtlatl, recipes: atlatlRecipesFor },
    drillIn: { names: { extract: false } },
    retention: {},
  };
}
