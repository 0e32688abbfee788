import * as z from "zod";

import type { JournalEntry, ReadEntry } from "../entry.js";

/** Gives a value as an entry may have it; `undefined` for one that is not as its name says. */
type Rule = (value: unknown) => unknown;

/** Longer names are cut when they are written, and so are longer lists; the longest text is a descriptor. */
const MAX_NAME_CHARACTERS = 300;
const MAX_ELEMENTS = 100;
const MAX_TEXT_CHARACTERS = 32_768;

const text = z.string().max(MAX_NAME_CHARACTERS);
const number = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const flag = z.boolean();
const names = z.array(text).max(MAX_ELEMENTS);
const written = z.object({
  text: z.string().max(MAX_TEXT_CHARACTERS),
  characters: number.optional(),
  withheld: z.literal(true).optional(),
});
const part = z.object({ messages: number, tokens: number }).optional();

/** What members that are objects have to be, whatever entry they are of. */
const objects = {
  artifact: z.object({
    id: text,
    fileName: text,
    kind: text,
    layout: text,
    toolName: text,
    sizeBytes: number,
    lineCount: number,
    recordCount: number.optional(),
    tokens: number,
    tokensExact: flag,
    createdAt: number,
    expiresAt: number,
    wasInline: z.literal(true).optional(),
    derivedFrom: names.optional(),
    title: written.optional(),
    arguments: written.optional(),
  }),
  descriptor: written,
  lines: z.array(written).max(MAX_ELEMENTS),
  arguments: written,
  text: written,
  byCharacters: z.object({ tokens: number, offloads: flag }),
  toolCalls: z.array(z.object({ id: text, name: text })).max(MAX_ELEMENTS),
  largest: z
    .array(z.object({ part: text, toolName: text, toolCallId: text, tokens: number }))
    .max(MAX_ELEMENTS),
  parts: z.object({
    system: part,
    human: part,
    ai: part,
    result: part,
    descriptor: part,
    "drill-in": part,
    aged: part,
    definitions: part,
  }),
};

/** What each member has to be; other members are left out. Most are no objects, and are looked at without a schema. */
const rules = new Map<string, Rule>([
  ...Object.entries(objects).map(([name, schema]): [string, Rule] => [name, ruleOf(schema)]),
  ...sameFor(["otherArtifactIds", "artifactIds", "nearest"], ruleOf(names)),
  ...sameFor(["tokensExact", "failed"], flagIn),
  ...sameFor(
    [
      "session",
      "type",
      "artifactId",
      "errorName",
      "fallback",
      "form",
      "kind",
      "option",
      "outcome",
      "parameter",
      "parentToolCallId",
      "reason",
      "specName",
      "store",
      "tool",
      "toolCallId",
      "toolName",
    ],
    nameIn,
  ),
  ...sameFor(
    [
      "v",
      "at",
      "answerBytes",
      "answerTokens",
      "argumentBytes",
      "breakEvenCalls",
      "cachedTokens",
      "call",
      "contextTokens",
      "definitionTokens",
      "descriptorTokens",
      "durationMs",
      "entries",
      "freedTokens",
      "inputTokens",
      "keptBlocks",
      "outputTokens",
      "resultBytes",
      "results",
      "returnedTokens",
      "rewrittenTokens",
      "sizeBytes",
      "tokens",
      "tokensSaved",
      "totalTokens",
      "windowTokens",
      "withoutTokens",
    ],
    numberIn,
  ),
]);

/** What an entry of each type always has. */
const always: Readonly<Record<JournalEntry["type"], readonly string[]>> = {
  offloaded: ["artifact", "reason", "form", "descriptorTokens", "tokensSaved", "durationMs"],
  "kept-inline": ["toolName", "tokens", "byCharacters"],
  "drilled-in": ["tool", "answerTokens", "failed", "durationMs"],
  aged: ["results", "artifactIds", "freedTokens", "rewrittenTokens", "breakEvenCalls"],
  restored: ["artifactId", "answerTokens"],
  referenced: ["toolName", "parameter", "sizeBytes", "failed", "durationMs"],
  "tool-called": [
    "toolName",
    "toolCallId",
    "parentToolCallId",
    "outcome",
    "argumentBytes",
    "resultBytes",
    "durationMs",
  ],
  "tools-shown": ["definitionTokens"],
  expired: ["artifact"],
  evicted: ["artifact"],
  missing: ["artifact"],
  "write-failed": ["toolName", "store", "fallback", "errorName"],
  "unknown-tool": ["option", "toolName", "nearest"],
  "plugin-failed": ["plugin", "hook", "errorName"],
  "plugin-event": ["plugin", "name"],
  "option-failed": ["option", "errorName"],
  truncated: ["reason", "toolName", "totalTokens", "returnedTokens"],
  "stayed-inline": ["toolName", "kind", "sizeBytes", "keptBlocks"],
  "model-called": ["call", "parts", "contextTokens", "withoutTokens", "largest"],
  "model-answered": ["call", "toolCalls", "failed", "durationMs"],
  "entries-lost": ["entries"],
};
const required = new Map<unknown, readonly string[]>(Object.entries(always));

/** The entry of a line, which may be anybody's; `undefined` for what is none, or one of another version. Never throws. */
export function checkedEntry(line: string, id: string): ReadEntry | undefined {
  try {
    const given: unknown = JSON.parse(line);
    if (typeof given !== "object" || given === null) return undefined;
    const entry: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) {
      const rule = rules.get(name);
      if (rule === undefined) continue;
      const member = rule(value);
      if (member === undefined) return undefined;
      entry[name] = member;
    }
    const needed = required.get(entry["type"]);
    if (needed === undefined || entry["v"] !== 1 || entry["at"] === undefined) return undefined;
    if (needed.some((name) => entry[name] === undefined)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member has the type of its name
    return { ...entry, id } as unknown as ReadEntry;
  } catch {
    return undefined;
  }
}

function ruleOf(schema: z.ZodType): Rule {
  return (value) => schema.safeParse(value).data;
}

function flagIn(value: unknown): unknown {
  return typeof value === "boolean" ? value : undefined;
}

function nameIn(value: unknown): unknown {
  return typeof value === "string" && value.length <= MAX_NAME_CHARACTERS ? value : undefined;
}

/** Sums of a million of them are still numbers that JSON has. */
function numberIn(value: unknown): unknown {
  const isOne = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isOne ? value : undefined;
}

function sameFor(list: readonly string[], rule: Rule): [string, Rule][] {
  return list.map((name) => [name, rule]);
}
