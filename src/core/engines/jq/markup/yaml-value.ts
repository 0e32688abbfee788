import {
  constructFromEvents,
  CORE_SCHEMA,
  defineScalarTag,
  type Event,
  floatCoreTag,
  intCoreTag,
  mergeTag,
  parseEvents,
  YAMLException,
} from "js-yaml";

const MAX_DEPTH = 500;
const MAX_ALIASES = 100_000;
const MAX_MERGED = 200_000;
/** An alias stands for a copy. With all of them a document may be so many times as long, of a short one so many characters. */
const MAX_GROWTH = 10;
const MAX_CHARACTERS = 10_000_000;

/** Of numbers, those that a double holds as they are written; other integers as they are, infinity and no number as text. */
const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  defineScalarTag<unknown>(intCoreTag.tagName, {
    ...intCoreTag,
    resolve(source, isExplicit, tagName) {
      const value = intCoreTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" && !Number.isSafeInteger(value) ? BigInt(source) : value;
    },
  }),
  defineScalarTag<unknown>(floatCoreTag.tagName, {
    ...floatCoreTag,
    resolve(source, isExplicit, tagName) {
      const value = floatCoreTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" && !Number.isFinite(value) ? source : value;
    },
  }),
);

/** Tags that make text of what would be a number or nothing; others say what a value is for, not what it is. */
const TEXT_TAGS: ReadonlySet<string> = new Set(["!", "!!str", "!<tag:yaml.org,2002:str>"]);
const NONE = -1;

/**
 * The value of YAML: of several documents their array, of a repeated key the last one's. What has a tag is taken as if it had
 * none, and merge keys are replaced by what they name.
 *
 * @throws Error with the line that cannot be read, or where aliases make it too long or put a value into itself.
 */
export function readYaml(text: string): unknown {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    for (const event of events) dropTag(event, text);
    const documents = constructFromEvents(events, {
      source: text,
      schema: SCHEMA,
      json: true,
      maxAliases: MAX_ALIASES,
      maxTotalMergeKeys: MAX_MERGED,
    });
    const value: unknown = documents.length > 1 ? documents : documents[0];
    const most = Math.max(MAX_CHARACTERS, text.length * MAX_GROWTH);
    if (text.includes("*") && lengthOf(value, new Map()) > most)
      throw new Error(`its aliases make it longer than ${most} characters.`);
    return value;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? "" : `line ${error.mark.line + 1}: `;
    throw new Error(`it is no YAML, ${line}${error.reason}.`, { cause: error });
  }
}

/** Characters of a value with a copy for each alias; infinity of one that is in itself. */
function lengthOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return String(value).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Infinity);
  let length = 2;
  for (const [key, member] of Object.entries(value))
    length += key.length + 2 + lengthOf(member, known);
  known.set(value, length);
  return length;
}

function dropTag(event: Event, text: string): void {
  if (!("tagStart" in event) || event.tagStart === NONE) return;
  const isScalar = "valueStart" in event;
  if (isScalar && TEXT_TAGS.has(text.slice(event.tagStart, event.tagEnd))) return;
  event.tagStart = NONE;
  event.tagEnd = NONE;
}
