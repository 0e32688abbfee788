import { isOneValue } from "../../content/as-value.js";
import type { Recipe } from "../../types/artifact.js";
import { hasRest } from "../../profile/profile-document.js";
import { setLabel } from "../../content/json/sets/set-names.js";
import { safeJson } from "../../../util/safe-text.js";
import { type FieldLines, fieldLines, type FieldSet, lookedAt } from "../field-lines.js";
import { recordGuidance, runByTool, runInShell, setsGuidance } from "../guidance.js";
import { CURSOR_CHARACTERS, SHORT_CURSOR_CHARACTERS } from "../next-page.js";
import { isMemorySet } from "../recipes/memory.js";
import { baseSummary, memorySummary, surroundings } from "../summary.js";
import { type FormInput, guidanceInput, guide, type Rendering } from "./form-input.js";
import { lineSchema } from "./line-schema.js";
import { memoryGuidance, shortMemoryGuidance } from "./memory-guidance.js";
import { countIs, setsSummary } from "./sets-summary.js";
import { isForShell } from "./shell-command.js";
import { commandsOf, filtersOf, usableRecipes } from "./shown-recipes.js";
import { sqlSentence, sqlTable } from "./sql-table.js";

/** How much of the records the generic form says beside their fields. */
export interface GenericSize {
  /** UTF-16 units of what stands around the records. */
  readonly envelopeCharacters: number;
  readonly hasRecipes: boolean;
  /** Sets that are named, of several. */
  readonly sets: number;
  readonly isShort: boolean;
}

/**
 * The OffloadResponse of the LRO specification: every field, every recipe as a shell command where the store
 * has local files.
 */
export function fullForm(
  input: FormInput,
  size: { readonly maxFields: number; readonly isShort: boolean },
): Rendering {
  const { storedArtifact, content, profile, scoreRange, tools, nextPage } = input;
  const asCommands = storedArtifact.filePath !== undefined && isForShell(content);
  const recipes = asCommands ? storedArtifact.recipes : usableRecipes(input);
  const rows = content.layout === "rows";
  return {
    form: "full",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      // Without the extraction tool the guidance for memories is to read a file.
      const isLines = storedArtifact.layout === "records";
      const isReadable = tools.extract !== undefined || storedArtifact.filePath !== undefined;
      const ofMemories = profile !== undefined && isMemorySet(profile) && isReadable && isLines;
      const runs = asCommands ? runInShell(guided) : runByTool(guided, recipes.length);
      const memory = size.isShort ? shortMemoryGuidance : memoryGuidance;
      const hasTable = tools.sql !== undefined && profile !== undefined && !content.sets;
      return safeJson({
        offloaded: true,
        summary: {
          ...memorySummary(storedArtifact, guided.count, profile, scoreRange, content),
          ...countIs(input),
          ...nextPage.summary(CURSOR_CHARACTERS),
          ...setsSummary(input, { sets: 1, restCharacters: 300 }),
        },
        file_path: reference,
        line_schema: profile === undefined ? {} : lineSchema(profile, size),
        ...(hasTable && { sql_table: sqlTable(profile, size.maxFields, rows) }),
        jq_recipes: asCommands ? commandsOf(input, reference) : filtersOf(input, recipes),
        guidance: guide(
          input,
          ofMemories
            ? memory(guided)
            : recordsGuidance(input, reference, runs, asCommands ? [] : recipes),
        ),
      });
    },
  };
}

/** The form for records that are no memories, of one set or several, and how many UTF-16 units the lines of the fields take. */
export function genericForm(
  input: FormInput,
  size: GenericSize,
  maxCharacters: number,
): Rendering & { readonly fieldCharacters: number } {
  const { storedArtifact, content, tools, nextPage } = input;
  const cursorCharacters = size.isShort ? SHORT_CURSOR_CHARACTERS : CURSOR_CHARACTERS;
  // What a query of SQL says in one line needs no recipe.
  const recipes = size.hasRecipes && tools.sql === undefined ? usableRecipes(input) : [];
  const { sets } = content;
  const shown = setsOf(input, size.sets);
  const lines = fieldLines(shown, maxCharacters);
  return {
    form: "generic",
    fieldCharacters: JSON.stringify(lines).length,
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      const labels = sets?.slice(0, shown.length).map((set) => setLabel(set));
      return safeJson({
        offloaded: true,
        summary: {
          count: guided.count,
          ...countIs(input),
          ...baseSummary(storedArtifact),
          ...nextPage.summary(cursorCharacters),
          ...(sets === undefined
            ? surroundings(content.records, size.envelopeCharacters)
            : setsSummary(input, { sets: size.sets, restCharacters: size.envelopeCharacters })),
          ...sampleOf(shown, labels),
        },
        file_path: reference,
        line_schema: labels === undefined ? (lines[0] ?? {}) : bySet(labels, lines),
        ...(recipes.length > 0 && { jq_recipes: filtersOf(input, recipes) }),
        guidance: guide(
          input,
          recordsGuidance(input, reference, runByTool(guided, recipes.length), recipes),
          cursorCharacters,
        ),
      });
    },
  };
}

function setsOf({ content, profile, tools }: FormInput, most: number): readonly FieldSet[] {
  const profiles = profile?.document?.sets ?? (profile === undefined ? [] : [profile]);
  const isTable = content.layout === "rows";
  return profiles.slice(0, most).map((one, index) => {
    const table = content.sets === undefined ? "output" : content.sets[index]?.table;
    const bySql = tools.sql !== undefined && table !== undefined;
    const byJq = tools.jq !== undefined && content.sets === undefined && !isOneValue(content);
    const query = bySql
      ? `${tools.sql} with DESCRIBE ${table}`
      : byJq
        ? `${tools.jq} with keys`
        : "";
    return { profile: one, isTable, listing: query === "" ? "" : `${query} lists them` };
  });
}

function bySet(labels: readonly string[], lines: readonly FieldLines[]): object {
  return Object.fromEntries(labels.map((label, index) => [label, lines[index] ?? {}]));
}

/** Which records the lines are of, where not all were looked at. */
function sampleOf(
  sets: readonly FieldSet[],
  labels: readonly string[] | undefined,
): { readonly looked_at?: unknown } {
  const texts = sets.map(({ profile }) => lookedAt(profile));
  if (texts.every((text) => text === undefined)) return {};
  if (labels === undefined) return { looked_at: texts[0] };
  const named = labels.map((label, index) => [label, texts[index]] as const);
  return { looked_at: Object.fromEntries(named.filter(([, text]) => text !== undefined)) };
}

function recordsGuidance(
  input: FormInput,
  reference: string,
  runs: readonly string[],
  filters: readonly Recipe[],
): string {
  const { content, profile } = input;
  const guided = guidanceInput(input, reference);
  const { sets, layout } = content;
  if (sets !== undefined) {
    return setsGuidance(guided, { runs, sets, hasRest: hasRest(profile?.document) });
  }
  return recordGuidance(guided, {
    runs,
    marksSlurp: filters.some(({ slurp }) => slurp),
    table: profile && sqlSentence(profile, layout === "rows"),
  });
}
