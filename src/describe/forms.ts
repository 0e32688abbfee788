import type {
  Content,
  DescriptorForm,
  DrillInToolNames,
  Recipe,
  StoredArtifact,
} from "../types.js";
import { type ReferenceOptions, referenceSentence } from "../drill-in/reference.js";
import {
  bareGuidance,
  type GuidanceInput,
  memoryGuidance,
  recordGuidance,
  shortMemoryGuidance,
  textGuidance,
} from "./guidance.js";
import { lineSchema, outline, type SchemaSize } from "./line-schema.js";
import { isMemorySet } from "./memory.js";
import { previewOf } from "./preview.js";
import type { RecordProfile } from "./profile.js";
import { safeJson } from "./safe-text.js";
import { type CardSize, countedFields, shapeCard } from "./shape-card.js";
import { shellCommand } from "./shell-command.js";
import { sqlTable } from "./sql-table.js";
import {
  baseSummary,
  incompleteness,
  memorySummary,
  recordCountOf,
  surroundings,
} from "./summary.js";

/** What every form is rendered from. */
export interface FormInput {
  readonly storedArtifact: StoredArtifact;
  readonly content: Content;
  readonly profile: RecordProfile | undefined;
  readonly tools: DrillInToolNames;
  readonly scoreRange: readonly [number, number] | undefined;
  /** Whether the agent has a shell beside the tools. */
  readonly shell: boolean;
  /** Tools that take this output as an argument. */
  readonly references?: ReferenceOptions | undefined;
}

/** One way to write a descriptor. `reference` is what stands in `file_path` and in commands. */
export interface Rendering {
  readonly form: DescriptorForm;
  readonly render: (reference: string) => string;
}

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

function guidanceInput(input: FormInput, reference: string): GuidanceInput {
  const { storedArtifact, content, tools } = input;
  const count = recordCountOf(storedArtifact, content);
  return { artifact: storedArtifact, count, reference, tools };
}

/** Guidance, and where else the output may be passed. */
function guide({ references }: FormInput, guidance: string): string {
  const passing = referenceSentence(references);
  return passing === "" ? guidance : `${guidance} ${passing}`;
}

/** The table of the SQL tool; nothing without that tool. */
function tableOf(
  { content, profile, tools }: FormInput,
  maxColumns: number,
): { readonly sql_table?: string } {
  if (tools.sql === undefined || profile === undefined) return {};
  return { sql_table: sqlTable(profile, maxColumns, content.layout === "rows") };
}

/** A cell in quotes may hold the delimiter or a line end, so only the jq tool splits it rightly. */
function needsCsvParser({ content }: FormInput): boolean {
  const { layout, body, records } = content;
  if (layout !== "rows") return false;
  // Of a stream only the beginning is there to be looked at.
  if (records?.sampleCount !== undefined) return true;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('"');
}

function renderRecipes(
  input: FormInput,
  recipes: readonly Recipe[],
  reference: string,
  asCommands: boolean,
): JqRecipe[] {
  return recipes.map((recipe) =>
    asCommands
      ? {
          description: recipe.description,
          command: shellCommand(recipe, input.storedArtifact, reference),
        }
      : {
          description: recipe.slurp ? `${recipe.description} [slurp]` : recipe.description,
          command: recipe.shellFilter ?? recipe.filter,
        },
  );
}

/**
 * The OffloadResponse of the LRO specification: every field, every recipe as a shell command where the store
 * has local files.
 */
export function fullForm(
  input: FormInput,
  size: { readonly maxFields: number; readonly short: boolean },
): Rendering {
  const { storedArtifact, content, profile, scoreRange, tools } = input;
  const { recipes } = storedArtifact;
  const asCommands = storedArtifact.filePath !== undefined && !needsCsvParser(input);
  return {
    form: "full",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      // Without the extraction tool the guidance for memories is to read a file.
      const isReadable = tools.extract !== undefined || storedArtifact.filePath !== undefined;
      const ofMemories = profile !== undefined && isMemorySet(profile) && isReadable;
      const memory = size.short ? shortMemoryGuidance : memoryGuidance;
      return safeJson({
        offloaded: true,
        summary: {
          ...memorySummary(storedArtifact, guided.count, profile, scoreRange),
          ...incompleteness(content.records, content.complete),
        },
        file_path: reference,
        line_schema: profile === undefined ? {} : lineSchema(profile, size),
        ...tableOf(input, size.maxFields),
        jq_recipes: renderRecipes(input, recipes, reference, asCommands),
        guidance: guide(
          input,
          ofMemories
            ? memory(guided)
            : recordGuidance(guided, {
                shell: asCommands,
                shownRecipes: recipes.length,
                short: size.short,
              }),
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
    readonly detail: NonNullable<SchemaSize["detail"]>;
    readonly card: CardSize;
    readonly envelopeCharacters: number;
    readonly short: boolean;
    readonly recipes: number;
  },
): Rendering {
  const { storedArtifact, content, profile, shell } = input;
  const recipes = storedArtifact.recipes.slice(0, size.recipes);
  const asCommands = shell && !needsCsvParser(input);
  return {
    form: "generic",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      return safeJson({
        offloaded: true,
        summary: {
          count: guided.count,
          ...baseSummary(storedArtifact),
          ...(content.complete === false && { complete: false }),
          ...surroundings(content.records, size.envelopeCharacters),
          ...(profile === undefined ? {} : shapeCard(profile, size.card)),
        },
        file_path: reference,
        line_schema:
          profile === undefined
            ? {}
            : outline(profile, { ...size, counted: countedFields(profile, size.card) }),
        ...tableOf(input, size.maxFields),
        jq_recipes: renderRecipes(input, recipes, reference, asCommands),
        guidance: guide(
          input,
          recordGuidance(guided, {
            shell: asCommands,
            shownRecipes: recipes.length,
            short: size.short,
          }),
        ),
      });
    },
  };
}

/** The form for text, and for documents without records. */
export function textForm(input: FormInput, previewCharacters: number): Rendering {
  const { storedArtifact, content, shell } = input;
  const preview = previewCharacters === 0 ? "" : previewOf(content, previewCharacters);
  return {
    form: "text",
    render: (reference) =>
      safeJson({
        offloaded: true,
        summary: {
          ...baseSummary(storedArtifact),
          size_bytes: storedArtifact.sizeBytes,
          lines: storedArtifact.lineCount,
          ...incompleteness(content.records, content.complete),
        },
        file_path: reference,
        ...(preview === "" ? {} : { preview }),
        guidance: guide(input, textGuidance(guidanceInput(input, reference), shell)),
      }),
  };
}

/** A pointer: summary, reference, one sentence. */
export function bareForm(input: FormInput): Rendering {
  const { storedArtifact, content, shell } = input;
  return {
    form: "bare",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      const size =
        content.records === undefined
          ? { lines: storedArtifact.lineCount }
          : { count: guided.count };
      return safeJson({
        offloaded: true,
        summary: {
          ...size,
          ...baseSummary(storedArtifact),
          ...incompleteness(content.records, content.complete),
        },
        file_path: reference,
        guidance: guide(input, bareGuidance(guided, shell)),
      });
    },
  };
}

/** The least that leads back to the output. */
export function leastForm(): Rendering {
  return {
    form: "bare",
    render: (reference) => safeJson({ offloaded: true, file_path: reference }),
  };
}
