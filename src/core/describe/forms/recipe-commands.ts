import { asBuffer } from "../../../util/text-encoding.js";
import { headerOf } from "../../content/table/rows.js";
import type { Recipe } from "../../types/artifact.js";
import { type Content, oneSet } from "../../types/content.js";
import { shellQuote } from "../../../util/safe-text.js";
import type { DescribeInput } from "../describer.js";

/** Line ends behind that of the last row. */
const BLANK_END = /[\r\n](?:\r?\n|\r)$/;

/**
 * The jq program that turns the lines of a table into its records, one object of strings each. `undefined` where
 * lines are not enough: quoted cells need a parser that a shell does not have for certain, of a stream only the
 * beginning is known, and not every jq reads a NUL or half a character alike.
 */
function rowsFilter(content: Content): string | undefined {
  const { kind, literalQuotes } = content;
  const body = asBuffer(content.body);
  if (oneSet(content)?.sampleCount !== undefined) return undefined;
  if (body.includes(0) || (literalQuotes !== true && body.includes('"'))) return undefined;
  const split = `rtrimstr("\\r")/${kind === "tsv" ? '"\\t"' : '","'}`;
  const { text, names } = headerOf(content);
  const isUnnamed = text.startsWith(kind === "tsv" ? "\t" : ",");
  const name = isUnnamed ? `|.[0]=${JSON.stringify(names[0])}` : "";
  const blank = BLANK_END.test(body.toString("latin1", body.length - 3)) ? "|select(length>1)" : "";
  return `(input|${split}${name}) as $h|inputs|${split}${blank}|[$h,.]|transpose|map({(.[0]):.[1]})|add`;
}

/** Whether a shell reads the stored records as the drill-ins do. */
export function isForShell(content: Content): boolean {
  return content.layout !== "rows" || rowsFilter(content) !== undefined;
}

/**
 * A recipe as a shell command that works on the stored file from any directory. Records skip the header
 * line with `tail -n +2`; rows are turned into objects first, where {@link isForShell} says that they can be.
 */
export function shellCommand(
  recipe: Recipe,
  content: Content,
  { filePath: path, headerBytes }: { readonly filePath: string; readonly headerBytes: number },
): string {
  const flags = `${recipe.slurp ? "s" : ""}${recipe.raw ? "r" : ""}`;
  const jq = `jq ${flags === "" ? "" : `-${flags} `}${shellQuote(recipe.shellFilter ?? recipe.filter)}`;
  const file = shellQuote(path);
  const rows = content.layout === "rows" ? rowsFilter(content) : undefined;
  if (rows !== undefined) return `jq -Rnc ${shellQuote(rows)} ${file} | ${jq}`;
  return headerBytes > 0 ? `tail -n +2 ${file} | ${jq}` : `${jq} ${file}`;
}

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

/** The recipes that a tool runs; none without such a tool. */
export function usableRecipes({
  storedArtifact: { recipes },
  tools,
}: DescribeInput): readonly Recipe[] {
  return tools.jq !== undefined || tools.extract !== undefined ? recipes : [];
}

/** All recipes as shell commands on the file. */
export function commandsOf(
  { storedArtifact: { recipes, headerBytes }, content }: DescribeInput,
  filePath: string,
): JqRecipe[] {
  return recipes.map((recipe) => ({
    description: recipe.description,
    command: shellCommand(recipe, content, { filePath, headerBytes }),
  }));
}

/** These recipes as filters for the tools. */
export function filtersOf({ tools }: DescribeInput, recipes: readonly Recipe[]): JqRecipe[] {
  return recipes.map((recipe) => ({
    description:
      described(recipe, tools.extract !== undefined) +
      (recipe.slurp && tools.jq !== undefined ? " [slurp]" : ""),
    command: recipe.shellFilter ?? recipe.filter,
  }));
}

/** What a recipe does; its parameters by name where a tool takes them, else by the value that stands for each. */
function described({ description, params }: Recipe, takesParams: boolean): string {
  if (takesParams) return description;
  return description.replaceAll(/\$(\w+)/g, (name, key: string) => String(params[key] ?? name));
}
