import { documentSets } from "../../types/content.js";
import { profilesOf } from "../../profile/profile-document.js";
import { isOneValue } from "../../content/as-value.js";
import { setLabel } from "../../content/json/sets/set-names.js";
import { safeJson } from "../../../util/safe-text.js";
import type { FormInput, Rendering } from "../describer.js";
import { fieldLines, type FieldSet, lookedAt } from "../field-lines.js";
import { guide, recordsGuidance, runByTool, runInShell } from "../guidance.js";
import { CURSOR_CHARACTERS } from "../next-page.js";
import { isMemorySet } from "../recipes/memory.js";
import { baseSummary, memorySummary } from "../summary.js";
import { lineSchema } from "./line-schema.js";
import { memoryGuidance, shortMemoryGuidance } from "./memory-guidance.js";
import { commandsOf, filtersOf, usableRecipes } from "./recipe-commands.js";
import { surroundings, type SurroundingsSize } from "./surroundings.js";

export interface FullSize {
  readonly maxFields: number;
  readonly isShort: boolean;
}

export interface GenericSize extends SurroundingsSize {
  readonly fieldCharacters: number;
  readonly hasRecipes: boolean;
}

export function fullForm(input: FormInput, { maxFields, isShort }: FullSize): Rendering {
  const { storedArtifact, content, profile, tools, nextPage } = input;
  const asCommands = storedArtifact.filePath !== undefined && content.layout !== "rows";
  const recipes = asCommands ? storedArtifact.recipes : usableRecipes(input);
  // Without the extraction tool the guidance for memories is to read a file.
  const isReadable = tools.extract !== undefined || storedArtifact.filePath !== undefined;
  const isMemory = profile !== undefined && isMemorySet(profile);
  const asMemories = isMemory && isReadable && storedArtifact.layout === "records";
  const memory = isShort ? shortMemoryGuidance : memoryGuidance;
  const runs = asCommands ? runInShell(input) : runByTool(input, recipes.length);
  const isSlurped = !asCommands && recipes.some(({ slurp }) => slurp);
  return {
    form: "full",
    render: (reference) =>
      safeJson({
        offloaded: true,
        summary: {
          ...memorySummary(input),
          ...nextPage.summary(CURSOR_CHARACTERS),
          ...(documentSets(content) && surroundings(input, { sets: 1, restCharacters: 300 })),
        },
        file_path: reference,
        line_schema: profile === undefined ? {} : lineSchema(profile, maxFields),
        jq_recipes: asCommands ? commandsOf(input, reference) : filtersOf(input, recipes),
        guidance: guide(
          input,
          asMemories ? memory(input, reference) : recordsGuidance(input, runs, isSlurped),
        ),
      }),
  };
}

export function genericForm(input: FormInput, size: GenericSize): Rendering {
  const { storedArtifact, content, tools, nextPage } = input;
  // What a query of SQL says in one line needs no recipe.
  const recipes = size.hasRecipes && tools.sql === undefined ? usableRecipes(input) : [];
  const sets = fieldSets(input, size.sets);
  const lines = fieldLines(sets, size.fieldCharacters);
  const labels = documentSets(content)?.map((set) => setLabel(set));
  /** What is of each set by its label, where there are several. */
  const bySet = (all: readonly unknown[]): unknown =>
    labels === undefined
      ? all[0]
      : Object.fromEntries(all.map((told, at) => [labels[at] ?? "", told] as const));
  const samples = sets.map(({ profile }) => lookedAt(profile));
  const isSlurped = recipes.some(({ slurp }) => slurp);
  const guidance = recordsGuidance(input, runByTool(input, recipes.length), isSlurped);
  return {
    form: "generic",
    render: (reference) =>
      safeJson({
        offloaded: true,
        summary: {
          count: storedArtifact.recordCount ?? 0,
          ...baseSummary(storedArtifact),
          ...nextPage.summary(CURSOR_CHARACTERS),
          ...surroundings(input, size),
          ...(samples.some((text) => text !== undefined) && { looked_at: bySet(samples) }),
        },
        file_path: reference,
        line_schema: bySet(lines) ?? {},
        ...(recipes.length > 0 && { jq_recipes: filtersOf(input, recipes) }),
        guidance: guide(input, guidance),
      }),
  };
}

function fieldSets({ content, profile, tools }: FormInput, most: number): readonly FieldSet[] {
  const isTable = content.layout === "rows";
  const sets = documentSets(content);
  return profilesOf(profile)
    .slice(0, most)
    .map((one, index) => {
      const table = sets === undefined ? "output" : sets[index]?.table;
      const byJq = tools.jq !== undefined && sets === undefined && !isOneValue(content);
      const bySql = tools.sql !== undefined && table !== undefined;
      const query = bySql ? `${tools.sql} with DESCRIBE ${table}` : `${tools.jq} with keys`;
      return { profile: one, isTable, listing: bySql || byJq ? `${query} lists them` : "" };
    });
}
