import { describeAsAtlatl } from "./response.js";
import { prefixName } from "../../core/store/naming.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";
import { settingOptions } from "../lro/lro.js";
import type { SettingPlaces } from "../lro/read-settings.js";

/**
 * The older revision of Large Result Offloading: over 6,400 tokens, JSON lines with a header for one hour, an
 * OffloadResponse with its own ten recipes. There is no extraction tool in it: recipe numbers mean
 * something else in the newer one. The settings of the environment and of a file come before its threshold, and give life and directory.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 * @source LRO specification, older revision: Threshold Detection, Standard jq Recipe Library, Cleanup and Lifecycle.
 */
export function atlatl(places: SettingPlaces = {}): OffloadOptions {
  return asPreset({
    threshold: { tokens: 6400 },
    ...settingOptions("atlatl", places),
    tokenizer: "o200k_base",
    fileFormat: "lro",
    fileName: prefixName("atlatl"),
    describe: { describer: describeAsAtlatl },
  });
}
