import { readFileSync } from "node:fs";

import { packageFile } from "../data/package-file.js";
import type { TaskOutput } from "../task.js";

// Of @gerrit0/mini-shiki 3.23.0, as a copy: the package brings the colours of all languages.
const GRAPH = new URL("../data/mini-shiki/shiki-dependency-tree.svg", import.meta.url);
const CURRENCY_LIST = "currency-codes/iso-4217-list-one.xml";

export const CURRENCY_XML: TaskOutput = {
  tool: "get_currency_list",
  description: "Returns ISO 4217: countries and their currencies, as XML.",
  load: () => packageFile(CURRENCY_LIST),
};
export const CURRENCY_LINE: TaskOutput = {
  tool: "fetch_currency_list",
  description: "Returns ISO 4217: countries and their currencies, as XML.",
  // As services send it, without a line of its own for each element.
  load: () => packageFile(CURRENCY_LIST).replaceAll(/>\s+</g, "><").trim(),
};
export const DEPENDENCY_GRAPH: TaskOutput = {
  tool: "get_dependency_graph",
  description: "Returns the graph of a package's dependencies as SVG.",
  load: () => readFileSync(GRAPH, "utf8"),
};
export const AGENT_RULES: TaskOutput = {
  tool: "get_user_agent_rules",
  description: "Returns the rules by which user agents are told apart, as YAML.",
  load: () => packageFile("uap-core/regexes.yaml"),
};
