import { references } from "../src/adapters/langchain/references/references.js";
import type { OffloadOptions } from "../src/core/options/options.js";

/** Options under which tools take references: these alone with their settings, or all that take data by their schema. */
export function referring(
  given: "auto" | Readonly<Record<string, unknown>>,
): Pick<OffloadOptions, "plugins" | "perTool"> {
  if (given === "auto") return { plugins: [references()] };
  const perTool = Object.fromEntries(
    Object.entries(given).map(([tool, own]) => [tool, { plugins: { references: own } }]),
  );
  return { plugins: [references({ auto: false })], perTool };
}
