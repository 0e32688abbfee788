import * as z from "zod";

import { fieldOf } from "../../util/field-of.js";
import { MAX_NAME_CHARACTERS, shortName } from "../../util/safe-text.js";

/*
 * Types, writing and checks derive from these tables. Each member has a scalar or another table as its kind; `[]` marks
 * a list, `?` an optional member. Texts (arguments and data are JSON) are absent when none are written.
 */

const MAX_ELEMENTS = 100;

const SCALARS: Readonly<Record<string, z.ZodType>> = {
  name: z.string().max(MAX_NAME_CHARACTERS),
  body: z.string().max(32_768),
  number: z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
  flag: z.boolean(),
};

export const TABLES = {
  text: {
    text: "body",
    /** UTF-16 units of the whole text; absent when `text` is complete. */
    characters: "number?",
    withheld: "flag?",
  },
  artifact: {
    id: "name",
    kind: "name",
    toolName: "name",
    sizeBytes: "number",
    recordCount: "number?",
    tokens: "number",
    tokensExact: "flag",
    arguments: "text?",
  },
  /** Tokens by what they are. */
  parts: {
    system: "number?",
    human: "number?",
    ai: "number?",
    result: "number?",
    descriptor: "number?",
    "drill-in": "number?",
    aged: "number?",
    definitions: "number?",
  },
} as const;

export const ENTRIES = {
  offloaded: {
    artifact: "artifact",
    toolCallId: "name?",
    reason: "name",
    form: "name",
    descriptorTokens: "number",
    tokensSaved: "number",
    tokensExact: "flag?",
    durationMs: "number",
    descriptor: "text?",
  },
  "kept-inline": { toolName: "name", toolCallId: "name?", tokens: "number" },
  "artifact-left-out": { toolName: "name", toolCallId: "name?", artifactId: "name" },
  "drilled-in": {
    tool: "name",
    artifactId: "name?",
    otherArtifactIds: "name[]?",
    answerTokens: "number",
    failed: "flag",
    durationMs: "number",
    toolCallId: "name?",
    arguments: "text?",
    answerBytes: "number?",
  },
  aged: {
    results: "number",
    artifactIds: "name[]",
    freedTokens: "number",
    lines: "text[]?",
  },
  restored: { artifactId: "name", answerTokens: "number" },
  referenced: {
    toolName: "name",
    parameter: "name",
    artifactId: "name?",
    sizeBytes: "number",
    failed: "flag",
    durationMs: "number",
  },
  "tool-called": {
    toolName: "name",
    toolCallId: "name",
    parentToolCallId: "name",
    outcome: "name",
    argumentBytes: "number",
    resultBytes: "number",
    artifactId: "name?",
    durationMs: "number",
  },
  "tools-shown": { definitionTokens: "number" },
  expired: { artifact: "artifact" },
  evicted: { artifact: "artifact" },
  missing: { artifact: "artifact" },
  "write-failed": {
    toolName: "name",
    toolCallId: "name?",
    store: "name",
    fallback: "name",
    errorName: "name",
  },
  "unknown-tool": { option: "name", toolName: "name" },
  "option-failed": {
    option: "name",
    toolName: "name?",
    toolCallId: "name?",
    errorName: "name",
  },
  "plugin-failed": {
    plugin: "name",
    hook: "name",
    toolName: "name?",
    toolCallId: "name?",
    errorName: "name",
  },
  "plugin-event": { plugin: "name", name: "name", data: "text?" },
  truncated: {
    reason: "name",
    toolName: "name",
    toolCallId: "name?",
    totalTokens: "number",
    returnedTokens: "number",
  },
  "stayed-inline": {
    toolName: "name",
    toolCallId: "name?",
    sizeBytes: "number",
    text: "text?",
    arguments: "text?",
  },
  /** The context before one model call. Tokens are estimated as bytes / 4. Only agents with the middleware write it. */
  "model-called": {
    call: "number",
    parts: "parts",
    contextTokens: "number",
    withoutTokens: "number",
    windowTokens: "number?",
  },
  "model-answered": {
    call: "number",
    inputTokens: "number?",
    outputTokens: "number?",
    cachedTokens: "number?",
    /** Names, at most 100. */
    toolCalls: "name[]",
    failed: "flag",
    durationMs: "number",
  },
  /** Entries that were never written, because the disk was slow, full, or not writable. */
  "entries-lost": { entries: "number" },
} as const;

type Value<Kind> = Kind extends `${infer Present}?`
  ? Value<Present>
  : Kind extends `${infer Element}[]`
    ? readonly Value<Element>[]
    : Kind extends keyof typeof TABLES
      ? Members<(typeof TABLES)[Kind]>
      : Kind extends "number"
        ? number
        : Kind extends "flag"
          ? boolean
          : string;

type Members<Table> = {
  readonly [Name in keyof Omit<Table, Absent<Table>>]: Value<Table[Name]>;
} & { readonly [Name in keyof Pick<Table, Absent<Table>>]?: Value<Table[Name]> | undefined };

type Absent<Table> = {
  [Name in keyof Table]: Table[Name] extends `${string}?` ? Name : never;
}[keyof Table];

export type EntryOf<Type extends keyof typeof ENTRIES> = Type extends unknown
  ? {
      readonly v: 1;
      /** Unix milliseconds; never before that of an earlier entry of the same process. */
      readonly at: number;
      /** SHA-256 of the session, in hex, as in the events' `sessionKey`; absent without a known session. */
      readonly session?: string;
      readonly type: Type;
    } & Members<(typeof ENTRIES)[Type]>
  : never;

/**
 * One line of a journal. `v` is the version of its format; a reader skips entries of other versions. Names are cut to
 * 300 characters and lists to 100 elements. Sizes are bytes, times Unix milliseconds, durations milliseconds. Tokens
 * are counted or estimated as in the event of the same name.
 */
export type JournalEntry = EntryOf<keyof typeof ENTRIES>;
/** An entry as it is read back. */
export type ReadEntry = JournalEntry & {
  /** Unique in the directory, and the same on every read. */
  readonly id: string;
};
export type Draft<Entry = JournalEntry> = Entry extends JournalEntry
  ? Omit<Entry, "v" | "at">
  : never;
export type ContextSummary = Pick<
  EntryOf<"model-called">,
  "parts" | "contextTokens" | "withoutTokens"
>;
export type AnswerSummary = Pick<
  EntryOf<"model-answered">,
  "inputTokens" | "outputTokens" | "cachedTokens" | "toolCalls"
>;
export type ContextPart = keyof ContextSummary["parts"];
export type JournalText = Members<(typeof TABLES)["text"]>;

/** Texts come only from `beside`, because those of the object are not cleaned. */
export function written(
  table: Readonly<Record<string, string>>,
  from: object,
  beside: object,
): Record<string, unknown> {
  // One growing object, because spreading makes an entry several times as expensive.
  const entry: Record<string, unknown> = {};
  for (const name in table) {
    const own: unknown = table[name]?.startsWith("text") ? undefined : fieldOf(from, name);
    const value = own ?? fieldOf(beside, name);
    if (value !== undefined) entry[name] = short(value);
  }
  return entry;
}

function short(value: unknown): unknown {
  if (typeof value === "string") return shortName(value);
  return Array.isArray(value) ? value.slice(0, MAX_ELEMENTS).map(short) : value;
}

let entryRule: z.ZodType | undefined;

function ruleOfEntries(): z.ZodType {
  const rules = Object.entries(ENTRIES).map(([type, table]) => {
    const shape = shapeOf({ at: "number", session: "name?", ...table });
    return z.object({ v: z.literal(1), type: z.literal(type), ...shape });
  });
  return z.discriminatedUnion("type", [rules[0]!, ...rules.slice(1)]);
}

function shapeOf(table: Readonly<Record<string, string>>): z.ZodRawShape {
  return Object.fromEntries(Object.entries(table).map(([name, kind]) => [name, ruleOf(kind)]));
}

function ruleOf(kind: string): z.ZodType {
  if (kind.endsWith("?")) return ruleOf(kind.slice(0, -1)).optional();
  if (kind.endsWith("[]")) return z.array(ruleOf(kind.slice(0, -2))).max(MAX_ELEMENTS);
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = TABLES;
  return SCALARS[kind] ?? z.object(shapeOf(tables[kind] ?? {}));
}

/** `undefined` for a line that is no entry, or one of another version. Never throws. */
export function readEntry(line: string, id: string): ReadEntry | undefined {
  try {
    entryRule ??= ruleOfEntries();
    // A rule that throws takes several times as long.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules are made of the tables of the type
    const entry = entryRule.safeParse(JSON.parse(line)).data as JournalEntry | undefined;
    return entry && { ...entry, id };
  } catch {
    return undefined;
  }
}

/** A session, as far as its entries exist. */
export interface JournalSession {
  /** SHA-256 of the session, in hex; `""` for entries of no session. */
  readonly id: string;
  /** Unix milliseconds of its first and its last entry. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly entries: number;
  readonly counts: Readonly<Partial<Record<ReadEntry["type"], number>>>;
  readonly offloadedTokens: number;
  /** Estimated input of all model calls together, with this library and as it would be without. */
  readonly inputTokens: { readonly withTokens: number; readonly withoutTokens: number };
}

/** How much of a journal could not be shown. */
export interface JournalLosses {
  /** Lines that are no entry of a known version. */
  readonly skippedLines: number;
  /** Entries that their processes could not write. */
  readonly lostEntries: number;
}
