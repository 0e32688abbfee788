import * as z from "zod";

import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";
import { fileStore } from "../../core/store/file/index.js";
import { prefixName } from "../../core/store/naming.js";
import { checkedOptions, optionalsOf } from "../../util/option-rules.js";
import { extract } from "./extract.js";
import { readSettings, type SettingPlaces } from "./settings.js";

const environment = z.preprocess(
  (given) => (typeof given === "object" && given !== null ? { ...given } : given),
  z.record(z.string(), z.string().optional()),
);
const schema = optionalsOf({ env: environment, file: z.string() });

/**
 * The Large Result Offloading specification, newer revision: a threshold of 1,600 tokens, JSON lines in the system's
 * temporary directory for one hour, an OffloadResponse with ten recipes, and the extraction tool. These are mostly the
 * options' defaults, so the preset sets threshold, retention and directory only where settings do.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 * @source LRO specification, sections Threshold Detection, JSONL File Format, Cleanup and Lifecycle, Native Extraction.
 */
export function lro(places: SettingPlaces = {}): OffloadOptions {
  return asPreset({
    ...settingOptions("lro", places),
    tokenizer: "o200k_base",
    fileFormat: "lro",
    fileName: prefixName("atlatl"),
    describe: { form: "auto" },
    plugins: [extract()],
  });
}

export function settingOptions(
  factory: string,
  places: SettingPlaces,
): Pick<OffloadOptions, "enabled" | "threshold" | "retention" | "store"> {
  const { given, problems } = readSettings(checkedOptions<SettingPlaces>(factory, schema, places));
  for (const problem of problems) process.emitWarning(problem, "OffloadConfigWarning");
  const {
    enabled,
    threshold_tokens: tokens,
    ttl_seconds: seconds,
    output_dir: directory = "",
  } = given;
  return {
    ...(enabled !== undefined && { enabled }),
    ...(tokens !== undefined && { threshold: { tokens } }),
    ...(seconds !== undefined && { retention: { ttlMs: seconds * 1000 } }),
    ...(directory !== "" && { store: fileStore({ directory }) }),
  };
}
