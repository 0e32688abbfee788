import { references } from "../src/adapters/langchain/references/references.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import type { OffloadPlugin } from "../src/core/types/plugin.js";

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

/** Usual plugins, of which those given take the place of others of their name. */
export function pluginsOver(
  usual: readonly OffloadPlugin[],
  given: readonly OffloadPlugin[] = [],
): readonly OffloadPlugin[] {
  const names = new Set(given.map(({ name }) => name));
  return [...usual.filter(({ name }) => !names.has(name)), ...given];
}
