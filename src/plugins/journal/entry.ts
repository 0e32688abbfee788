import * as z from "zod";

import { MAX_NAME_CHARACTERS, shortName } from "../../util/safe-text.js";

/*
 * The one description of what a journal has: its types are made of these tables, lines are written by them and checked by them when they
 * are read. Each member has a scalar or another table as its kind; `[]` marks a list of them, `?` what may be absent.
 */

const MAX_ELEMENTS = 100;

const SCALARS: Readonly<Record<string, z.ZodType>> = {
  name: z.string().max(MAX_NAME_CHARACTERS),
  /** The longest is a descriptor. */
  body: z.string().max(32_768),
  /** Sums of a million of them are still numbers that JSON has. */
  number: z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
  flag: z.boolean(),
};

export const TABLES = {
  /** A text, as far as it is written. */
  text: {
    text: "body",
    /** UTF-16 units of the whole; absent where `text` is all of it. */
    characters: "number?",
    /** The text was left out: a function that cleans failed, or it is too long to be cleaned. */
    withheld: "flag?",
  },
  /** A stored output, without what queries need. */
  artifact: {
    id: "name",
    fileName: "name",
    kind: "name",
    layout: "name",
    toolName: "name",
    sizeBytes: "number",
    lineCount: "number",
    recordCount: "number?",
    tokens: "number",
    tokensExact: "flag",
    createdAt: "number",
    expiresAt: "number",
    wasInline: "flag?",
    /** Ids of the stored outputs that it was made from. */
    derivedFrom: "name[]?",
    /** What somebody said that it is; absent where texts are not written. */
    title: "text?",
    /** Arguments of the tool's call, as JSON; absent where texts are not written. */
    arguments: "text?",
  },
  verdict: { tokens: "number", offloads: "flag" },
  toolCall: { id: "name", name: "name" },
  /** A message of a tool that takes much of a context. */
  message: { part: "name", toolName: "name", toolCallId: "name", tokens: "number" },
  share: { messages: "number", tokens: "number" },
  /**
   * What a context is made of: `result`, `descriptor`, `drill-in` and `aged` are messages of tools: whole outputs, descriptors,
   * answers of drill-in tools, and lines where a result has left. `definitions` are those of this library's tools.
   */
  parts: {
    system: "share?",
    human: "share?",
    ai: "share?",
    result: "share?",
    descriptor: "share?",
    "drill-in": "share?",
    aged: "share?",
    definitions: "share?",
  },
} as const;

/** What an entry of each type has beside `v`, `at` and `session`: first each event of `onEvent`, of an error only its code or name. */
export const ENTRIES = {
  offloaded: {
    artifact: "artifact",
    toolCallId: "name?",
    reason: "name",
    form: "name",
    descriptorTokens: "number",
    tokensSaved: "number",
    tokensExact: "flag?",
    byCharacters: "verdict?",
    durationMs: "number",
    /** What the model saw in place of the output; absent where texts are not written. */
    descriptor: "text?",
  },
  "kept-inline": {
    toolName: "name",
    toolCallId: "name?",
    tokens: "number",
    byCharacters: "verdict",
  },
  "drilled-in": {
    tool: "name",
    artifactId: "name?",
    otherArtifactIds: "name[]?",
    answerTokens: "number",
    failed: "flag",
    durationMs: "number",
    toolCallId: "name?",
    /** What the model passed, as JSON; absent where texts are not written, and for file tools. */
    arguments: "text?",
    /** UTF-8 bytes of the answer; absent for file tools. */
    answerBytes: "number?",
  },
  aged: {
    results: "number",
    artifactIds: "name[]",
    freedTokens: "number",
    rewrittenTokens: "number",
    breakEvenCalls: "number",
    /** What the model sees in place of each of `artifactIds`; empty where texts are not written. */
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
  expired: { specName: "name?", artifact: "artifact" },
  evicted: { artifact: "artifact" },
  missing: { artifact: "artifact" },
  "write-failed": {
    specName: "name?",
    toolName: "name",
    toolCallId: "name?",
    store: "name",
    fallback: "name",
    errorName: "name",
  },
  "unknown-tool": { option: "name", toolName: "name", nearest: "name[]" },
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
  /** Its data are JSON, and a text like arguments. */
  "plugin-event": { plugin: "name", name: "name", data: "text?" },
  truncated: {
    reason: "name",
    toolName: "name",
    toolCallId: "name?",
    totalTokens: "number",
    returnedTokens: "number",
  },
  /** An output of a tool that stayed in the context as it came. */
  "stayed-inline": {
    toolName: "name",
    toolCallId: "name?",
    /** `json`, `text` or `none`, by a look at its beginning and end: JSON is not parsed for it. */
    kind: "name",
    /** UTF-8 bytes of the text that the model reads. */
    sizeBytes: "number",
    /** Images, audio and files beside the text. */
    keptBlocks: "number",
    /** Only with `inlineText`. */
    text: "text?",
    /** Arguments of the tool's call, as JSON; only with `inlineText`. */
    arguments: "text?",
  },
  /** The context of one call of the model, before it is made. Tokens are estimated as bytes / 4. Only of agents with the middleware. */
  "model-called": {
    /** With the process, it names the call; from 1. */
    call: "number",
    /** What stands in the context; a part that is not there is absent. */
    parts: "parts",
    /** All parts together. */
    contextTokens: "number",
    /** The same context without this library: every output whole, and neither its tools nor the calls of them and their answers. */
    withoutTokens: "number",
    /** Absent where nobody has said. */
    windowTokens: "number?",
    /** The messages of tools that take most, at most ten, largest first. */
    largest: "message[]",
  },
  /** How a call of the model ended. */
  "model-answered": {
    /** That of its `model-called`. */
    call: "number",
    /** What the provider counted; absent where it says nothing. */
    inputTokens: "number?",
    outputTokens: "number?",
    /** Part of `inputTokens` that came from its cache. */
    cachedTokens: "number?",
    /** What the model called, at most 100. */
    toolCalls: "toolCall[]",
    failed: "flag",
    durationMs: "number",
  },
  /** Entries that were never written: the disk was slow, full, or not writable. */
  "entries-lost": { entries: "number" },
} as const;

/** The value of a kind. */
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

/** The object that a table describes. */
type Members<Table> = {
  readonly [Name in keyof Omit<Table, Absent<Table>>]: Value<Table[Name]>;
} & { readonly [Name in keyof Pick<Table, Absent<Table>>]?: Value<Table[Name]> };

/** Names of what may be absent. */
type Absent<Table> = {
  [Name in keyof Table]: Table[Name] extends `${string}?` ? Name : never;
}[keyof Table];

export type EntryOf<Type extends keyof typeof ENTRIES> = Type extends unknown
  ? {
      readonly v: 1;
      /** Unix milliseconds; never before that of an earlier entry of the same process. */
      readonly at: number;
      /** SHA-256 of the session, in hex, as in the events' `scope`; absent where no session is known. */
      readonly session?: string;
      readonly type: Type;
    } & Members<(typeof ENTRIES)[Type]>
  : never;

/**
 * One line of a journal. `v` is the version of its format: who reads passes over what has another one. Names are cut to 300
 * characters and lists to 100 elements; sizes are bytes, times Unix milliseconds, durations milliseconds, and what is
 * called tokens is counted or estimated as the event of the same name says.
 */
export type JournalEntry = EntryOf<keyof typeof ENTRIES>;
/** An entry that was read back. */
export type ReadEntry = JournalEntry & {
  /** Of no other entry of the directory; the same whenever it is read. */
  readonly id: string;
};
/** An entry without what every entry has. */
export type Draft<Entry = JournalEntry> = Entry extends JournalEntry
  ? Omit<Entry, "v" | "at">
  : never;
export type StayedEntry = EntryOf<"stayed-inline">;
export type ModelCallEntry = EntryOf<"model-called">;
export type ModelAnswerEntry = EntryOf<"model-answered">;
export type LossEntry = EntryOf<"entries-lost">;
/** Each event of `onEvent`, under its own type. */
export type EventEntry = Exclude<
  JournalEntry,
  StayedEntry | ModelCallEntry | ModelAnswerEntry | LossEntry
>;
/** What a context is made of. Tokens are estimated. */
export type ContextSummary = Pick<
  ModelCallEntry,
  "parts" | "contextTokens" | "withoutTokens" | "largest"
>;
/** What an answer says of itself. */
export type AnswerSummary = Pick<
  ModelAnswerEntry,
  "inputTokens" | "outputTokens" | "cachedTokens" | "toolCalls"
>;
export type JournalText = Members<(typeof TABLES)["text"]>;
export type JournalArtifact = Members<(typeof TABLES)["artifact"]>;
export type ContextMessage = Members<(typeof TABLES)["message"]>;
export type ContextPart = keyof (typeof TABLES)["parts"];

/**
 * What a table has of an object, at a bounded size, and of what is given beside it. A text is only taken from there: in the object, nobody
 * has cleaned it.
 */
export function written(
  table: Readonly<Record<string, string>>,
  from: object,
  beside: object,
): Record<string, unknown> {
  // One object that grows: an entry costs several times as much when others are spread into it.
  const entry: Record<string, unknown> = {};
  for (const name in table) {
    const own: unknown = table[name]?.startsWith("text") ? undefined : Reflect.get(from, name);
    const value: unknown = own ?? Reflect.get(beside, name);
    if (value !== undefined) entry[name] = short(value);
  }
  return entry;
}

function short(value: unknown): unknown {
  if (typeof value === "string") return shortName(value);
  return Array.isArray(value) ? value.slice(0, MAX_ELEMENTS).map(short) : value;
}

/** Made when the first line is read: whoever only writes does without. */
let entryRule: z.ZodType | undefined;

function ruleOfEntries(): z.ZodType {
  const [first, ...others] = Object.entries(ENTRIES).map(([type, table]) =>
    z.object({
      v: z.literal(1),
      at: ruleOf("number"),
      session: ruleOf("name?"),
      type: z.literal(type),
      ...shapeOf(table),
    }),
  );
  return z.discriminatedUnion("type", [first!, ...others]);
}

function shapeOf(table: object): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [name, ruleOf(String(kind))]),
  );
}

function ruleOf(kind: string): z.ZodType {
  if (kind.endsWith("?")) return ruleOf(kind.slice(0, -1)).optional();
  if (kind.endsWith("[]")) return z.array(ruleOf(kind.slice(0, -2))).max(MAX_ELEMENTS);
  const scalar = SCALARS[kind];
  if (scalar !== undefined) return scalar;
  const table = new Map<string, object>(Object.entries(TABLES)).get(kind);
  if (table === undefined) throw new Error(`There is no kind ${kind}.`);
  return z.object(shapeOf(table));
}

/** The entry of a line, which may be anybody's; `undefined` for what is none, or one of another version. Never throws. */
export function readEntry(line: string, id: string): ReadEntry | undefined {
  try {
    entryRule ??= ruleOfEntries();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rules are made of the tables of the type
    return { ...(entryRule.parse(JSON.parse(line)) as JournalEntry), id };
  } catch {
    return undefined;
  }
}

/** A session, as far as its entries are there. */
export interface JournalSession {
  /** SHA-256 of the session, in hex; `""` for entries of no session. */
  readonly id: string;
  /** Unix milliseconds of its first and its last entry. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly entries: number;
  /** Entries by their type. */
  readonly counts: Readonly<Partial<Record<ReadEntry["type"], number>>>;
  /** Tokens of all offloaded outputs. */
  readonly offloadedTokens: number;
  /** Tokens of the descriptors in their place, and of the answers of drill-in tools. */
  readonly descriptorTokens: number;
  readonly answerTokens: number;
  /** Results that went stale and left the context, and the tokens that this freed, estimated. */
  readonly agedResults: number;
  readonly freedTokens: number;
  /** The context of the last call of the model, with this library and as it would be without; absent before the first call. */
  readonly lastContext?: { readonly withTokens: number; readonly withoutTokens: number };
  /** Input of all calls of the model together, with and without; estimated. */
  readonly inputTokens: { readonly withTokens: number; readonly withoutTokens: number };
  /** Ids of offloaded outputs that were never read, at most 1,000, oldest first. */
  readonly neverRead: readonly string[];
}

/** How much of a journal could not be shown. */
export interface JournalLosses {
  /** Lines that were no entries of a version that is known, or longer than 1 MiB. */
  readonly skippedLines: number;
  /** Entries that their processes could not write. */
  readonly lostEntries: number;
  /** Files that were passed over because there are more than 1,000,000 entries; the newest are read first. */
  readonly unreadSegments: number;
}
