import { type DocumentProfile, hasRest, type RestMember } from "../../profile/profile-document.js";
import { CURSOR_CHARACTERS, SHORT_CURSOR_CHARACTERS } from "../next-page.js";
import { MAX_SETS } from "../../content/json/sets/choose-sets.js";
import { isLongPath, jqPath, setLabel, setPath } from "../../content/json/sets/set-names.js";
import { safeJson } from "../../../util/safe-text.js";
import { runByTool, setsGuidance } from "../guidance.js";
import { baseSummary } from "../summary.js";
import { type FormInput, guidanceInput, guide, type Rendering } from "./form-input.js";
import { listingOf, lookedAt } from "./calls.js";
import { type FieldMapSize, fieldMap } from "./fields/field-map.js";
import { filtersOf, tellingRecipes, usableRecipes } from "./shown-recipes.js";

/** How much of a document's sets is shown. */
export interface SetsSize {
  /** Sets that are named, with their counts. */
  readonly sets: number;
  /** Fields that are named of each set. */
  readonly maxFields: number;
  readonly detail: FieldMapSize["detail"];
  readonly maxValues?: number;
  readonly detailed?: number;
  /** UTF-16 units of what stands beside the sets. */
  readonly restCharacters: number;
  readonly recipes: number;
  readonly short: boolean;
}

/** What has fewer bytes was no candidate for a set beside others. */
const MIN_SET_BYTES = 1_024;

/** The form for a document with several sets, or with much beside its one. */
export function setsForm(input: FormInput, size: SetsSize): Rendering {
  const { storedArtifact, content, profile, nextPage } = input;
  const { sets = [] } = content;
  const { document } = profile ?? {};
  const cursorCharacters = size.short ? SHORT_CURSOR_CHARACTERS : CURSOR_CHARACTERS;
  const recipes = tellingRecipes(usableRecipes(input), size.recipes, input.tools);
  const shown = sets.slice(0, size.sets);
  const profiles = (document?.sets ?? []).slice(0, size.sets);
  const shapes = profiles.flatMap((one, index) => {
    const set = shown[index];
    return set === undefined ? [] : [{ set, one }];
  });
  const samples = shapes.flatMap(({ set, one }) => {
    const { looked_at: text } = lookedAt(input, one, set);
    return text === undefined ? [] : [[setLabel(set), text] as const];
  });
  return {
    form: "generic",
    render: (reference) => {
      const guided = guidanceInput(input, reference);
      return safeJson({
        offloaded: true,
        summary: {
          count: guided.count,
          ...countIs(input),
          ...baseSummary(storedArtifact),
          ...nextPage.summary(cursorCharacters),
          ...setsSummary(input, size),
          ...(samples.length === 0 ? {} : { looked_at: Object.fromEntries(samples) }),
        },
        file_path: reference,
        line_schema: Object.fromEntries(
          shapes.map(({ set, one }) => [
            setLabel(set),
            fieldMap(one, { ...size, listing: listingOf(input, set) }),
          ]),
        ),
        ...(recipes.length > 0 && {
          jq_recipes: filtersOf(input, recipes),
        }),
        guidance: guide(
          input,
          setsGuidance(guided, {
            sets,
            hasRest: hasRest(document),
            runs: runByTool(guided, recipes.length),
          }),
          cursorCharacters,
        ),
      });
    },
  };
}

/** Where the sets are, as jq takes it, how many records each has, and what is beside them; empty for other outputs. */
export function setsSummary(
  { content: { sets }, profile, tools }: FormInput,
  size: Pick<SetsSize, "sets" | "restCharacters">,
): Readonly<Record<string, unknown>> {
  if (sets === undefined) return {};
  const shown = sets.slice(0, size.sets).map(({ lines, ...set }) => {
    const path = setPath(set);
    return {
      path,
      count: set.count,
      ...(lines && { lines: `${lines.firstLine}-${lines.firstLine + set.count - 1}` }),
      ...((tools.sql !== undefined || isLongPath(path)) && { table: set.table }),
    };
  });
  const more = sets.length - shown.length;
  return {
    records_at: more > 0 ? [...shown, `and ${more} more`] : shown,
    ...restText(profile?.document, size.restCharacters),
  };
}

/** What `count` is of where the document has more lists or objects than were made sets; else empty. */
export function countIs({ storedArtifact: { sets = [] }, profile }: FormInput): {
  readonly count_is?: string;
} {
  if (sets.length < MAX_SETS) return {};
  const hasMore = profile?.document?.rest.some(
    ({ type, sizeBytes }) => (type === "array" || type === "object") && sizeBytes >= MIN_SET_BYTES,
  );
  return hasMore === true ? { count_is: `of ${MAX_SETS} sets` } : {};
}

/** What else the document has: short values as they are, of others the type and the size. */
function restText(
  document: DocumentProfile | undefined,
  maxCharacters: number,
): { readonly rest?: Readonly<Record<string, unknown>> } {
  const { rest = [], unnamed = 0, hasMore = false } = document ?? {};
  // Of a key that comes again the last value holds.
  const members = [...new Map(rest.map((member) => [jqPath(member.path), member])).values()];
  const shown: [string, unknown][] = [];
  let characters = 0;
  // What is large is named first: a short value is no loss.
  for (const member of members.toSorted((one, other) => other.sizeBytes - one.sizeBytes)) {
    const entry: [string, unknown] = [jqPath(member.path), valueOf(member)];
    characters += JSON.stringify(entry).length;
    if (characters > maxCharacters) break;
    shown.push(entry);
  }
  const more = members.length - shown.length + unnamed;
  if (more > 0) shown.push(["…", `${hasMore ? "at least " : ""}${more} more`]);
  return shown.length === 0 ? {} : { rest: Object.fromEntries(shown) };
}

function valueOf({ type, text, sizeBytes, count }: RestMember): unknown {
  const value: unknown = text === undefined ? undefined : parsed(text);
  // A number that JavaScript does not keep would be another one.
  if (value !== undefined && JSON.stringify(value) === text) return value;
  const size = sizeBytes < 1_000 ? `${sizeBytes} B` : `${(sizeBytes / 1_000).toFixed(1)} kB`;
  const name = type === "array" ? "list" : type;
  if (count === undefined) return `${name}, ${size}`;
  return type === "array" ? `list of ${count}, ${size}` : `object of ${count} keys, ${size}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
