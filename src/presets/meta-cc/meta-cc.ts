import { isJson } from "../../core/content/value/any-json.js";
import { argumentLimit, wholeNumber } from "../../core/decide/gates/argument-limit.js";
import { threshold } from "../../core/decide/gates/threshold.js";
import { FORM_BUDGET_TOKENS } from "../../core/describe/describe.js";
import { type Describer, firstWithin } from "../../core/describe/describer.js";
import { nextPageOf } from "../../core/describe/next-page.js";
import { type ToolShape, toolShape } from "../../core/drill-in/tools.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";
import type { Place } from "../../core/profile/place.js";
import { type ContentProfile, profilesOf } from "../../core/profile/profile-document.js";
import type { RecordProfile } from "../../core/profile/profile.js";
import { temporaryFileName } from "../../core/store/naming.js";
import { type Content, documentSets, type SetPlace, setsOf } from "../../core/types/content.js";
import type { DrillInToolNames } from "../../core/types/result.js";
import { checkedOptions, optionalsOf, size } from "../../util/option-rules.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import { callArgument } from "./call-argument.js";

/** Options of meta-cc's hybrid output mode. */
export interface MetaCcOptions {
  /**
   * Largest output that stays inline, in UTF-8 bytes; exactly this size stays.
   * @defaultValue `META_CC_INLINE_THRESHOLD` of the environment, otherwise `8192`
   * @source meta-cc ADR-004, Mode Selection Logic.
   */
  readonly inlineThresholdBytes?: number;
}

const schema = optionalsOf({ inlineThresholdBytes: size });

const THRESHOLD_ARGUMENT = "inline_threshold_bytes";
/** @source meta-cc ADR-004, Mode Selection Logic. */
const DEFAULT_THRESHOLD_BYTES = 8192;
/** @source meta-cc ADR-004, Temporary File Management: 7 days. */
const RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * meta-cc's hybrid output mode: up to 8,192 bytes `{mode: "inline", data}`, above them JSON lines
 * in a file for 7 days and `{mode: "file_ref", file_ref}`. The model can set the limit of a call
 * with the argument `inline_threshold_bytes`; a number above any output's size forces it inline.
 * What cannot be stored stays inline, cut only where it would not fit into the context window.
 * @source meta-cc ADR-004, Hybrid Output Mode Design.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function metaCc(options: MetaCcOptions = {}): OffloadOptions {
  const checked = checkedOptions<MetaCcOptions>("metaCc", schema, options);
  const fromEnvironment = wholeNumber(process.env["META_CC_INLINE_THRESHOLD"]);
  const bytes = checked.inlineThresholdBytes ?? fromEnvironment ?? DEFAULT_THRESHOLD_BYTES;
  return asPreset({
    gates: [argumentLimit(THRESHOLD_ARGUMENT, threshold({ bytes }))],
    onStoreFailure: "inline",
    plugins: [
      callArgument(
        THRESHOLD_ARGUMENT,
        "Largest result to return inline, in bytes; a larger one goes to a file",
      ),
    ],
    fileFormat: "json-lines",
    fileName: temporaryFileName,
    describe: { describer: describeAsFileReference, wrapInline },
    drillIn: { tools: [cleanupTool()] },
    retention: { ttlMs: RETENTION_MS },
  });
}

const WORKFLOW = ["read", "grep", "jq", "sql"] as const;
const MAX_FIELD_CHARACTERS = 60;
const SHOWN_SETS = 8;
const MAX_PATH_CHARACTERS = 60;

/**
 * Describes by a file reference: `path`, `size_bytes`, `line_count`, `fields` and a `summary` with
 * `total_records` and, as `{value}_count`, exact counts of the values of `status`, or else of the field with the
 * fewest. For several record sets it lists the fields of all, and no counts of values. Text has no fields and no
 * records.
 */
export const describeAsFileReference: Describer = async (input) => {
  const { storedArtifact, content, profile, tools } = input;
  const sets = documentSets(content);
  const names = namesOfFields(content, profile);
  const counts = Object.fromEntries(countValues(content, profile));
  const isSample = profilesOf(profile).some(({ complete }) => !complete);
  const { summary } = nextPageOf(content, storedArtifact.toolName);
  const text = (fields: readonly string[], counted: object) =>
    safeJson({
      mode: "file_ref",
      file_ref: {
        path: storedArtifact.filePath ?? storedArtifact.fileName,
        title: storedArtifact.title,
        size_bytes: storedArtifact.sizeBytes,
        line_count: storedArtifact.lineCount,
        fields,
        fields_are: isSample ? "of a sample" : undefined,
        summary: {
          total_records: storedArtifact.recordCount,
          records_by_path: sets && countsByPath(sets),
          ...summary,
          ...counted,
        },
      },
      guidance: guidanceFor(tools),
    });
  function* texts(): Generator<string> {
    for (const most of [Infinity, 20, 5]) {
      const more = names.length > most ? [`… ${names.length - most} more`] : [];
      yield text([...names.slice(0, most), ...more], counts);
    }
    yield text([], {});
  }
  const within = { maxTokens: FORM_BUDGET_TOKENS["file-reference"], texts: texts() };
  return await firstWithin(input, "file-reference", within);
};

/** @source meta-cc ADR-004, Best Practices for Claude: metadata first, selective access, no paths for users. */
function guidanceFor(tools: DrillInToolNames): string {
  const names = WORKFLOW.flatMap((tool) => tools[tool] ?? []);
  const access =
    names.length === 0 ? "" : `, then the file with ${names.join(", ")}: pass path as id`;
  return `Analyze summary first${access}. Tell users findings, not file paths.`;
}

function namesOfFields(content: Content, profile: ContentProfile | undefined): readonly string[] {
  const sets = setsOf(content);
  const names = profilesOf(profile).flatMap((one, index) =>
    ownFields(one, sets[index]?.isMap).map(({ key }) => key),
  );
  return [...new Set(names)].map((name) => shorten(name, MAX_FIELD_CHARACTERS));
}

function countsByPath(sets: readonly SetPlace[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sets.slice(0, SHOWN_SETS).map(({ path, table, count }) => {
      const name = path.join(".");
      const isClear = name.length <= MAX_PATH_CHARACTERS && !path.some((key) => key.includes("."));
      return [isClear ? name : table, count];
    }),
  );
}

/**
 * Wraps an output that stays inline: `{"mode": "inline", "data": …}`. JSON is embedded unchanged,
 * digits and spaces included; any other text becomes a JSON string.
 */
export function wrapInline(text: string): string {
  return `{"mode":"inline","data":${isJson(text) ? text.trim() : JSON.stringify(text)}}`;
}

const MAX_DISTINCT = 8;
const MAX_VALUE_CHARACTERS = 40;

/** meta-cc's example counts it, even when all records have one value. @source meta-cc ADR-004, File Reference Mode. */
const STATUS = "status";

function ownFields({ root }: RecordProfile, isMap = false): readonly Place[] {
  const [key, value] = root.fields;
  return isMap && key?.key === "key" && value?.key === "value" ? value.fields : root.fields;
}

/**
 * Counts the values of a field with 2 to 8 different strings, each on average in two records
 * or more; for `status` one is enough. `status` comes first, then the field with the fewest values. Empty for several
 * record sets, whose counts would be mistaken for totals, and where the profile is of a sample.
 */
function countValues(
  content: Content,
  profile: RecordProfile | undefined,
): readonly (readonly [name: string, count: number])[] {
  const [set, ...others] = setsOf(content);
  if (!profile?.complete || others.length > 0) return [];
  const [best] = ownFields(profile, set?.isMap)
    .map(({ key, values = [], arrays, objects }) => ({
      isStatus: key === STATUS,
      filled: arrays + objects > 0 ? [] : values.filter(({ value }) => value !== ""),
    }))
    .filter(
      ({ isStatus, filled: { length } }) =>
        length >= (isStatus ? 1 : 2) && length <= MAX_DISTINCT && 2 * length <= profile.recordCount,
    )
    .filter(({ filled }) =>
      filled.every(
        ({ value }) => typeof value === "string" && value.length <= MAX_VALUE_CHARACTERS,
      ),
    )
    .toSorted(
      (one, other) =>
        Number(other.isStatus) - Number(one.isStatus) || one.filled.length - other.filled.length,
    );
  const counts = best?.filled.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return counts?.map(({ value, count }) => [`${String(value)}_count`, count] as const) ?? [];
}

/**
 * `cleanup_temp_files`: sweeps expired outputs.
 * @source meta-cc ADR-004, Temporary File Management.
 */
export function cleanupTool(): ToolShape {
  return toolShape({
    tool: "cleanup",
    name: "cleanup_temp_files",
    description: "Delete stored outputs that are past their retention.",
    fields: {},
  });
}
