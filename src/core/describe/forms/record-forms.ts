import type { JsonObject } from "../../../util/is-record.js";
import { safeJson, shellQuote } from "../../../util/safe-text.js";
import { isLongPath, setPath } from "../../content/json/sets/set-names.js";
import type { Place } from "../../profile/place.js";
import { profilesOf } from "../../profile/profile-document.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { DetailLevel, Recipe, StoredArtifact } from "../../types/artifact.js";
import { documentSets } from "../../types/content.js";
import type { DescribeInput, FormInput, Rendering } from "../describer.js";
import { fieldLines, lookedAt } from "../field-lines.js";
import { guide, recordsGuidance } from "../guidance.js";
import { baseSummary, memorySummary, surroundings } from "../summary.js";
import { response } from "./short-forms.js";

const MAX_SCHEMA_FIELDS = 40;
const MAX_SETS = 8;
const LEAST_SETS = 2;
const LEAST_SHARE = 0.03;

export function fullForm(input: FormInput, share: number): Rendering {
  const { storedArtifact, content, profile, tools, nextPage } = input;
  const { filePath, layout } = storedArtifact;
  const recipes = usableRecipes(input);
  // Otherwise the guidance says to read the file.
  const isReadable = tools.extract !== undefined || filePath !== undefined;
  const asMemories = isReadable && layout === "records";
  const memory = share < 1 ? shortMemoryGuidance : memoryGuidance;
  const summary = {
    ...memorySummary(input),
    ...nextPage.summary,
    ...(documentSets(content) && surroundings(input, 1, 1)),
  };
  return response("full", summary, (reference) => ({
    line_schema: profile && lineSchema(profile, Math.round(share * MAX_SCHEMA_FIELDS)),
    jq_recipes:
      asMemories && filePath !== undefined
        ? commandsOf(storedArtifact, reference)
        : filtersOf(input, recipes),
    guidance: guide(input, asMemories ? memory(input, reference) : recordsGuidance(input, recipes)),
  }));
}

/** @param most - UTF-16 units of all lines at a share of 1, which alone has recipes. */
export function genericForm(input: FormInput, share: number, most: number): Rendering {
  const { storedArtifact, content, profile, tools, nextPage } = input;
  // With SQL, recipes are unnecessary.
  const recipes = share === 1 && tools.sql === undefined ? usableRecipes(input) : [];
  const shownSets = share < LEAST_SHARE ? LEAST_SETS : MAX_SETS;
  const isTable = content.layout === "rows";
  const sets = profilesOf(profile)
    .slice(0, shownSets)
    .map((one) => ({ profile: one, isTable }));
  const lines = fieldLines(sets, share * most);
  const labels = documentSets(content)?.map((set) => {
    const path = setPath(set);
    return isLongPath(path) ? set.table : path;
  });
  const bySet = (all: readonly unknown[]): unknown =>
    labels === undefined
      ? all[0]
      : Object.fromEntries(all.map((told, at) => [labels[at], told] as const));
  const samples = sets.map(({ profile }) => lookedAt(profile));
  const summary = {
    count: storedArtifact.recordCount,
    ...baseSummary(storedArtifact, input.scoreRange),
    ...nextPage.summary,
    ...surroundings(input, shownSets, share),
    looked_at: samples.some((text) => text !== undefined) ? bySet(samples) : undefined,
  };
  const members = {
    line_schema: bySet(lines),
    jq_recipes: recipes.length > 0 ? filtersOf(input, recipes) : undefined,
    guidance: guide(input, recordsGuidance(input, recipes)),
  };
  return response("generic", summary, () => members);
}

/** Every line is valid if the profile is complete; otherwise `$comment` says so and no field is required. */
function lineSchema(profile: RecordProfile, maxFields: number): JsonObject {
  const { complete, sampledCount, recordCount, root, lacksFields } = profile;
  let left = maxFields;
  let isCut = lacksFields;
  const schemaOf = (node: Place): JsonObject => {
    // `number` includes `integer`.
    const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
    const shown = node.fields.slice(0, left);
    left -= shown.length;
    isCut ||= shown.length < node.fields.length;
    const required = shown.filter((field) => complete && field.count === node.count);
    const properties = shown.map((field) => [field.key, schemaOf(field)] as const);
    const { items } = node;
    return {
      type: types.length > 1 ? types : types[0],
      properties: shown.length > 0 ? Object.fromEntries<JsonObject>(properties) : undefined,
      additionalProperties: node.members && schemaOf(node.members),
      required: required.length > 0 ? required.map(({ key }) => key) : undefined,
      items: items?.count ? schemaOf(items) : undefined,
    };
  };
  const schema = schemaOf(root);
  const comments = [
    !complete && `from ${sampledCount} of ${recordCount} records`,
    isCut && "more fields exist",
  ].filter(Boolean);
  return comments.length === 0 ? schema : { ...schema, $comment: comments.join("; ") };
}

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

function commandsOf({ recipes, headerBytes }: StoredArtifact, path: string): JqRecipe[] {
  const file = shellQuote(path);
  return recipes.map(({ description, filter, shellFilter = filter, slurp, raw }) => {
    const flags = `${slurp ? "s" : ""}${raw ? "r" : ""}`;
    const jq = `jq ${flags === "" ? "" : `-${flags} `}${shellQuote(shellFilter)}`;
    const command = headerBytes > 0 ? `tail -n +2 ${file} | ${jq}` : `${jq} ${file}`;
    return { description, command };
  });
}

function usableRecipes({ storedArtifact, tools }: DescribeInput): readonly Recipe[] {
  return tools.jq !== undefined || tools.extract !== undefined ? storedArtifact.recipes : [];
}

function filtersOf({ tools }: DescribeInput, recipes: readonly Recipe[]): JqRecipe[] {
  return recipes.map((recipe) => ({
    description: recipe.description + (recipe.slurp && tools.jq !== undefined ? " [slurp]" : ""),
    command: recipe.shellFilter ?? recipe.filter,
  }));
}

const SAMPLE_FILTER: Readonly<Record<DetailLevel, string>> = {
  light: 'select(.memory_type == \\"semantic\\")',
  medium: "select(.confidence > 0.8)",
  full: "select(.provenance.confidence > 0.8)",
};

function heading({ storedArtifact: { recordCount, tokens } }: FormInput): string {
  return `Results offloaded to JSONL (${recordCount ?? 0} memories, ~${tokens} tokens saved).`;
}

function withoutShell({ tools: { jq } }: FormInput): string {
  if (jq === undefined) return "";
  return `Without a shell, ${jq}(id=file_path, filter) runs the quoted filter of a recipe; slurp=true for jq -s.`;
}

const isCount = ({ description }: Recipe) => description === "Count by namespace";

function memoryGuidance(input: FormInput, reference: string): string {
  const { storedArtifact: artifact, tools } = input;
  const detail = `Detail level: ${artifact.detail}`;
  if (tools.extract === undefined) {
    return `${heading(input)}
File: ${reference}
${detail}

Use the jq recipes above to extract specific data. Common patterns:
- Browse: recipe #1 (${artifact.recipes[0]?.description.replace(/^List (?:all )?/, "")})
- Filter: recipe #2 (by namespace) or #3 (by keyword)
- Analyze: recipe #${artifact.recipes.findIndex(isCount) + 1} (count by namespace)
${withoutShell(input)}
Read the file directly only if you need the complete dataset.${artifact.headerBytes > 0 ? "\nThe header line (line 1) contains metadata; memory objects start at line 2." : ""}`;
  }
  const call = (rest: string) => `${tools.extract}(file_path=${safeJson(reference)}, ${rest})`;
  return `${heading(input)}
${detail}

Use the \`${tools.extract}\` tool to query this result set. Examples:
- Browse: ${call("recipe=1")}
- Filter by namespace: ${call('recipe=2, params={"namespace": "_semantic"}')}
- Search by keyword: ${call('recipe=3, params={"keyword": "your term"}')}
- Custom filter: ${call(`query="${SAMPLE_FILTER[artifact.detail]}"`)}

Available recipes: 1=titles+namespaces, 2=filter namespace, 3=search titles,
4=IDs+titles, 5=filter type, 6=count by namespace, 7=filter tag, 8=sort by date,
9=detail-adaptive, 10=detail-adaptive.`;
}

function shortMemoryGuidance(input: FormInput): string {
  const { storedArtifact: artifact, tools } = input;
  const { extract } = tools;
  const start = `${heading(input)} Detail level: ${artifact.detail}.`;
  if (extract === undefined) {
    return `${start} Use the jq recipes above to extract specific data${artifact.headerBytes > 0 ? "; memory objects start at line 2" : ""}. ${withoutShell(input)}`.trimEnd();
  }
  return `${start} Use the \`${extract}\` tool with this file_path: ${extract}(file_path, recipe=2, params={"namespace": "_semantic"}) or ${extract}(file_path, query="${SAMPLE_FILTER[artifact.detail]}"). Recipes are numbered from 1 in the order above.`;
}
