import { type FormInput, guidanceInput, guide, type Rendering } from "./form-input.js";
import { recordGuidance, runByTool, runInShell, setsGuidance } from "../guidance.js";
import { memoryGuidance, shortMemoryGuidance } from "./memory-guidance.js";
import { lookedAt } from "./calls.js";
import { type FieldMapSize, fieldMap } from "./fields/field-map.js";
import { lineSchema } from "./line-schema.js";
import { hasRest } from "../../profile/profile-document.js";
import { isMemorySet } from "../recipes/memory.js";
import { CURSOR_CHARACTERS, SHORT_CURSOR_CHARACTERS } from "../next-page.js";
import { safeJson } from "../../../util/safe-text.js";
import { isForShell } from "./shell-command.js";
import { countIs, setsSummary } from "./sets-form.js";
import {
  commandsOf,
  filtersOf,
  marksSlurp,
  tellingRecipes,
  usableRecipes,
} from "./shown-recipes.js";
import { listingOf } from "./calls.js";
import { sqlSentence, sqlTable } from "./sql-table.js";
import { baseSummary, memorySummary, surroundings } from "../summary.js";

/** The table of the SQL tool; nothing without that tool, and where each set has its own. */
function tableOf(
  { content, profile, tools }: FormInput,
  maxColumns: number,
): { readonly sql_table?: string } {
  if (tools.sql === undefined || profile === undefined || content.sets !== undefined) return {};
  return { sql_table: sqlTable(profile, maxColumns, content.layout === "rows") };
}

/**
 * The OffloadResponse of the LRO specification: every field, every recipe as a shell command where the store
 * has local files.
 */
export function fullForm(
  input: FormInput,
  size: { readonly maxFields: number; readonly short: boolean },
): Rendering {
  const { storedArtifact, content, profile, scoreRange, tools, nextPage } = input;
  const asCommands = storedArtifact.filePath !== undefined && isForShell(content);
  const recipes = asCommands ? storedArtifact.recipes : usableRecipes(input);
  return {
    form: "full",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      // Without the extraction tool the guidance for memories is to read a file.
      const isLines = storedArtifact.layout === "records";
      const isReadable = tools.extract !== undefined || storedArtifact.filePath !== undefined;
      const ofMemories = profile !== undefined && isMemorySet(profile) && isReadable && isLines;
      const runs = asCommands ? runInShell(guided) : runByTool(guided, recipes.length);
      const memory = size.short ? shortMemoryGuidance : memoryGuidance;
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
        ...tableOf(input, size.maxFields),
        jq_recipes: asCommands ? commandsOf(input, reference) : filtersOf(input, recipes),
        guidance: guide(
          input,
          ofMemories
            ? memory(guided)
            : content.sets
              ? setsGuidance(guided, {
                  runs,
                  sets: content.sets,
                  hasRest: hasRest(profile?.document),
                })
              : recordGuidance(guided, { runs, marksSlurp: marksSlurp(recipes) && !asCommands }),
        ),
      });
    },
  };
}

/** The form for records that are no memories. */
export function genericForm(
  input: FormInput,
  size: {
    readonly maxFields: number;
    readonly detail: FieldMapSize["detail"];
    readonly maxValues?: number;
    readonly detailed?: number;
    readonly envelopeCharacters: number;
    readonly short: boolean;
    readonly recipes: number;
  },
): Rendering {
  const { storedArtifact, content, profile, nextPage } = input;
  const cursorCharacters = size.short ? SHORT_CURSOR_CHARACTERS : CURSOR_CHARACTERS;
  const recipes = tellingRecipes(usableRecipes(input), size.recipes, input.tools);
  const rows = content.layout === "rows";
  return {
    form: "generic",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      return safeJson({
        offloaded: true,
        summary: {
          count: guided.count,
          ...baseSummary(storedArtifact),
          ...nextPage.summary(cursorCharacters),
          ...surroundings(content.records, size.envelopeCharacters),
          ...(profile === undefined ? {} : lookedAt(input, profile)),
        },
        file_path: reference,
        line_schema:
          profile === undefined
            ? {}
            : fieldMap(profile, { ...size, rows, listing: listingOf(input) }),
        ...(recipes.length > 0 && {
          jq_recipes: filtersOf(input, recipes),
        }),
        guidance: guide(
          input,
          recordGuidance(guided, {
            runs: runByTool(guided, recipes.length),
            marksSlurp: marksSlurp(recipes),
            table: profile && sqlSentence(profile, rows),
          }),
          cursorCharacters,
        ),
      });
    },
  };
}
