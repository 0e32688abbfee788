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

import { decodeText } from "../../../../util/text-encoding.js";
import type { Markup } from "../../../content/as-value.js";
import { type ByteReader, pieceReader, wholeOf } from "../../readers/byte-reader.js";
import { elementValue, readElements } from "./elements.js";

/**
 * Holds the whole document.
 *
 * @throws Error from `read` that says what is wrong and where.
 */
export function createMarkupReader(source: ByteReader, markup: Markup): ByteReader {
  return pieceReader(converted(source, markup), source);
}

function* converted(source: ByteReader, markup: Markup): Generator<Uint8Array> {
  const text = decodeText(wholeOf(source));
  const value = markup === "yaml" ? readYaml(text) : elementValue(readElements(text, markup));
  yield Buffer.from(`${JSON.stringify(value) ?? "null"}\n`);
}

const MAX_DEPTH = 500;
const MAX_ALIASES = 100_000;
const MAX_MERGED = 200_000;
const MAX_GROWTH = 10;
const MAX_CHARACTERS = 10_000_000;

/** Their text is kept where JSON has no such number. */
function numbers(tag: typeof intCoreTag, fits: (value: number) => boolean) {
  return defineScalarTag<unknown>(tag.tagName, {
    ...tag,
    resolve(source, isExplicit, tagName) {
      const value = tag.resolve(source, isExplicit, tagName);
      return typeof value === "number" && !fits(value) ? source : value;
    },
  });
}

const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  numbers(intCoreTag, Number.isSafeInteger),
  numbers(floatCoreTag, Number.isFinite),
);

const TEXT_TAGS: ReadonlySet<string> = new Set(["!", "!!str", "!<tag:yaml.org,2002:str>"]);
const NONE = -1;

/**
 * An array for several documents. Unknown tags are ignored, merge keys expanded.
 *
 * @throws Error with the line of a syntax error, or for excessive aliases.
 */
export function readYaml(text: string): unknown {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    for (const event of events) dropTag(event, text);
    const documents = constructFromEvents(events, {
      source: text,
      schema: SCHEMA,
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
    throw new Error(`it is not valid YAML, ${line}${error.reason}.`, { cause: error });
  }
}

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
