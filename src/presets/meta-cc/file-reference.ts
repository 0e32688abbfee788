import { isJson } from "../../core/content/value/any-json.js";
import { FORM_BUDGET_TOKENS } from "../../core/describe/describe.js";
import type { Describer } from "../../core/describe/describer.js";
import { firstWithin } from "../../core/describe/describer.js";
import {
  CURSOR_CHARACTERS,
  nextPageOf,
  SHORT_CURSOR_CHARACTERS,
} from "../../core/describe/next-page.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import { recordCountOf, titleOf } from "../../core/describe/summary.js";
import type { ContentProfile } from "../../core/profile/profile-document.js";
import type { Content, SetPlace } from "../../core/types/content.js";
import type { DrillInToolNames } from "../../core/types/result.js";
import { countValues, type FieldCounts, ownFields } from "./value-counts.js";

import { checkedOptions, count, optionsOf } from "../../util/option-rules.js";

/** How much the file reference shows. */
export interface FileReferenceOptions {
  /**
   * Most tokens of the reference, inclusive; counts and then fields leave it until it fits.
   *
   * @defaultValue `400`
   */
  readonly maxTokens?: number;
}

const schema = optionsOf({ maxTokens: count.optional() });

/** In the order of its workflow. */
const WORKFLOW = ["read", "grep", "jq", "sql"] as const;
const MAX_FIELD_CHARACTERS = 60;
const SHOWN_SETS = 8;
const MAX_PATH_CHARACTERS = 60;

/** `error_count` and `success_count` for a field with the values `error` and `success`. */
function flatCounts(field: FieldCounts | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(
    (field?.counts ?? []).map(([value, count]) => [`${value}_count`, count]),
  );
}

function countsByField(fields: readonly FieldCounts[]): Readonly<Record<string, unknown>> {
  if (fields.length === 0) return {};
  const entries = fields.map(({ field, counts }) => [
    shorten(field, MAX_FIELD_CHARACTERS),
    Object.fromEntries(counts),
  ]);
  return { by_field: Object.fromEntries(entries) };
}

/**
 * Makes a describer of file references: `path`, `size_bytes`, `line_count`, `fields` and a `summary` with
 * `total_records` and exact counts of the values of low-cardinality fields. The field with the fewest values
 * gives `{value}_count`, up to three others stand in `by_field`. Of several sets there are the fields of all, and no
 * counts of values. Text has no fields and no records.
 */
export function describeAsFileReference(options: FileReferenceOptions = {}): Describer {
  const checked = checkedOptions<FileReferenceOptions>("describeAsFileReference", schema, options);
  const { maxTokens = FORM_BUDGET_TOKENS["file-reference"] } = checked;
  return async (input) => {
    const { storedArtifact, content, profile, tools } = input;
    const names = namesOfFields(content, profile);
    // Counts of the values in one set would be taken for those of all.
    const isOneSet = (content.sets?.length ?? 1) === 1;
    const [first, ...others] = isOneSet ? await countValues(content, profile) : [];
    const nextPage = await nextPageOf(content, storedArtifact);
    const text = (fields: readonly string[], counts: object): string =>
      safeJson({
        mode: "file_ref",
        file_ref: {
          path: storedArtifact.filePath ?? storedArtifact.fileName,
          ...titleOf(storedArtifact),
          size_bytes: storedArtifact.sizeBytes,
          line_count: storedArtifact.lineCount,
          fields,
          summary: {
            ...(content.records === undefined
              ? {}
              : { total_records: recordCountOf(storedArtifact, content) }),
            ...(content.sets && { records_by_path: countsByPath(content.sets) }),
            ...nextPage.summary(
              names.length > 0 && fields.length === 0 ? SHORT_CURSOR_CHARACTERS : CURSOR_CHARACTERS,
            ),
            ...counts,
          },
        },
        guidance: guidanceFor(tools),
      });
    function* texts(): Generator<string> {
      for (const shown of [3, 1, 0]) {
        yield text(names, { ...flatCounts(first), ...countsByField(others.slice(0, shown)) });
      }
      for (const shown of [40, 20, 10, 5]) yield text(names.slice(0, shown), flatCounts(first));
      yield text([], {});
    }
    const { descriptor } = await firstWithin(input, "file-reference", {
      maxTokens,
      texts: texts(),
    });
    return descriptor;
  };
}

/**
 * Its best practices, for the tools that are there.
 *
 * @source meta-cc ADR-004, Best Practices for Claude: metadata first, selective access, no paths for users.
 */
function guidanceFor(tools: DrillInToolNames): string {
  const names = WORKFLOW.flatMap((tool) => tools[tool] ?? []);
  const access =
    names.length === 0 ? "" : `, then the file with ${names.join(", ")}: pass path as id`;
  return `Analyze summary first${access}. Tell users findings, not file paths.`;
}

/** Of the records, or of all sets together, those of the largest first. */
function namesOfFields(
  { kind, sets = [] }: Content,
  profile: ContentProfile | undefined,
): readonly string[] {
  const profiles = profile?.document?.sets ?? (profile === undefined ? [] : [profile]);
  const names = profiles.flatMap((one, index) =>
    ownFields(one, kind === "json-map" || sets[index]?.isMap === true).map(({ key }) => key),
  );
  return [...new Set(names)].map((name) => shorten(name, MAX_FIELD_CHARACTERS));
}

/** Of the largest sets, by path; by table where the path is long, so that none takes another one's place. */
function countsByPath(sets: readonly SetPlace[]): Readonly<Record<string, number>> {
  const shown = sets.slice(0, SHOWN_SETS);
  return Object.fromEntries(
    shown.map(({ path, table, count }) => {
      const name = path.join(".");
      return [name.length > MAX_PATH_CHARACTERS ? table : name, count];
    }),
  );
}

/**
 * Wraps an output that stays inline: `{"mode": "inline", "data": …}`. JSON stands in it as it came, digits and
 * spaces included; any other text becomes a JSON string.
 */
export function wrapInline(text: string): string {
  return `{"mode":"inline","data":${isJson(text) ? text.trim() : JSON.stringify(text)}}`;
}
