/**
 * The nouns of the walk: a tool output comes in, its content is measured, a decision falls, the
 * body is stored as an artifact and the model sees a descriptor. Stages own their functions;
 * this file owns only what passes from one stage to the next.
 */

/** What a tool returned, before anything of this library happened to it. */
export interface ToolOutput {
  readonly toolName: string;
  /**
   * The returned value: a string, any JSON value, an array of LangChain content blocks, or a stream: an
   * async iterable of text, bytes or records, such as a Node or web `ReadableStream`.
   */
  readonly value: unknown;
  /** `value` is the text itself: what a protocol puts around a text is not looked for in it. */
  readonly unwrapped?: true | undefined;
  /** LangChain's own `ToolMessage.artifact`, when the tool returned one. */
  readonly artifact?: unknown;
  /**
   * What the outputs of one turn of the model have in common: they do not make room for each other. Without
   * it, an output only spares itself.
   */
  readonly turn?: string | undefined;
  /**
   * How many outputs the turn has, this one among them. Alone, an output has its equal share of
   * `decide.turnBudget`; those of `offloadAll` share the whole.
   *
   * @defaultValue `1`
   */
  readonly turnCalls?: number | undefined;
  /** Where it waits for the others of its turn. Adapters and `offloadAll` give one. */
  readonly seat?: TurnSeat | undefined;
  /** Ends the reading of a stream. */
  readonly signal?: AbortSignal | undefined;
  readonly toolCallId?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The session that the output belongs to; drill-ins reach only artifacts of their own session.
   * Pass the LangGraph thread id here.
   */
  readonly sessionId: string;
  /** How full the model's context is, for gates that ask. */
  readonly conversation?: ConversationSize | undefined;
  /** What holds for this call only; values that are not allowed are passed over with a warning. */
  readonly overrides?: unknown;
  /** The tool's `metadata`, for `scope`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** One line that says what the output is. The descriptor has it, at most 200 characters of it. */
  readonly title?: string | undefined;
  /** What stood beside the value and says that it is one page of more: its descriptor says so too. */
  readonly nextPage?: LiveCursor | undefined;
  /** Stored whatever its size, and whatever `enabled`, `scope` and `decide` say. */
  readonly always?: true | undefined;
  /**
   * `user` for a message of the user: its descriptor keeps the beginning and the end as they are, `scope` does not
   * hold for it, and it stays inline where it cannot be stored or read back.
   */
  readonly origin?: "user" | undefined;
}

/** An output that is larger than its equal share of its turn's budget. */
export interface TurnOutput {
  readonly tokens: number;
  readonly budgetTokens: number;
  /** Whether it is shortened when it may not stay whole; all of another one leaves. */
  readonly isCut: boolean;
}

/** The place of a tool call among those of its turn. */
export interface TurnSeat {
  /** Notes an output that stays whatever the others are; it is counted when one of them asks. */
  stays(count: () => Promise<number>): void;
  /**
   * Waits until every call of the turn is over or waits too. Gives the most tokens that this output may
   * have, or `undefined` when it has to do with its equal share. Never rejects.
   */
  settle(output: TurnOutput): Promise<number | undefined>;
  /**
   * Ends the call. What it has not used of its share is the others' when it `hasTold` what it uses; otherwise
   * the share stays its own, as for a call that will run again. The first end counts.
   */
  end(hasTold: boolean): void;
}

/** What an answer says of the page after it. */
export interface LiveCursor {
  /** Keys from the root of the answer to the member that says so. */
  readonly path: readonly string[];
  /**
   * The cursor: a text, a whole number as it was written where that is not exactly a number of JavaScript, the JSON of an object, or
   * `true` where the answer says no more than that there is a page.
   */
  readonly value: string | number | true;
  /** Whether the value is only the beginning of the cursor: 8 KiB are looked at. */
  readonly cut: boolean;
}

/** Sizes of the conversation that an output would join, as far as they are known. */
export interface ConversationSize {
  /** Tokens of the conversation before this output. */
  readonly tokens?: number | undefined;
  /** Context window of the model, in tokens. */
  readonly contextWindowTokens?: number | undefined;
}

/** What kind of data an output is. `log`, `markdown`, `text` and `binary`, bytes that are no text, have no records. */
export type ContentKind =
  | "json-array"
  | "json-object"
  | "json-map"
  | "json-lines"
  | "json-document"
  | "csv"
  | "tsv"
  | "log"
  | "markdown"
  | "text"
  | "binary";

/**
 * How the stored file is laid out, which decides what drill-ins do with it.
 * `records`: a header line, then one JSON value a line. `rows`: CSV or TSV as it came.
 * `document`: one JSON document, as it came or with the records of its sets on lines of their own. `text`: lines as they came.
 */
export type Layout = "records" | "rows" | "document" | "text";

/** The text of an output and the content blocks beside it that cannot be offloaded. */
export interface UnwrappedOutput {
  /** What a model would read inline; `undefined` when there is no text at all. */
  readonly text: string | undefined;
  /** Images, audio and files: passed on untouched, in their order. */
  readonly keptBlocks: readonly unknown[];
}

/** The records of an output, in order. */
export interface RecordSet {
  readonly count: number;
  /**
   * How many records are in reach when not all are, as of a stream: those that `at` gives are then a
   * sample spread over the set.
   */
  readonly sampleCount?: number | undefined;
  /** The last record, where not all are in reach; `undefined` when it is too long to be kept. */
  readonly last?: string | undefined;
  /** Object keys from the document's root to the array or map; empty when the root is the set. */
  readonly path: readonly string[];
  /**
   * JSON text of the document around the records, its array replaced by `[]` or its map by `{}`;
   * `undefined` when nothing is around them.
   */
  readonly envelope: string | undefined;
  /** JSON text (or CSV row) of the record at `index`, without its line end. */
  readonly at: (index: number) => string;
}

/** Where one of several record sets of a document is. Plain JSON data: it is kept beside the body. */
export interface SetPlace {
  /** Object keys from the document's root to the array or map. */
  readonly path: readonly string[];
  readonly count: number;
  /** The records are the members of an object, `{key, value}` each; absent for the elements of an array. */
  readonly isMap?: true | undefined;
  /** The name of its table in SQL: written without quotes, and no other set's in any case. */
  readonly table: string;
  /**
   * Its part of the body without a header line, one record a line, a comma after all but the last: offsets in
   * bytes, `end` exclusive, and the number of the first line, from 1. Absent in a body as it came.
   */
  readonly lines?:
    | { readonly start: number; readonly end: number; readonly firstLine: number }
    | undefined;
}

/** One of several record sets of a document, its records in reach. */
export interface DocumentSet extends RecordSet, SetPlace {}

/** An output's data, identified and ready to be stored. */
export interface Content {
  readonly kind: ContentKind;
  readonly layout: Layout;
  /** The bytes to store, without a header line; records end with `\n` each. Of a stream, their beginning. */
  readonly body: Uint8Array;
  /** `false` when a stream was stopped at its size limit. */
  readonly complete?: false | undefined;
  /** The next page's cursor, where it stood beside the output and not in it. */
  readonly nextPage?: LiveCursor | undefined;
  /** In a table: a quote is a character like any other. Absent where it can open a cell. */
  readonly literalQuotes?: true | undefined;
  /**
   * What of the text stands neither in the body nor in the records' envelope, white space between tokens apart:
   * texts that differ in it are two outputs. Absent when there is nothing.
   */
  readonly unkept?: string | undefined;
  /** Lines in `body`; an unfinished last line counts. */
  readonly lineCount: number;
  /**
   * `wtf-8` when the text holds lone surrogates, which UTF-8 cannot carry: they are kept as three
   * bytes each, so that what is read back is what came. `latin1` when it came as bytes that are no UTF-8:
   * each byte is read as the character of its number.
   */
  readonly encoding: TextEncodingName;
  /** Present for the layouts `records` and `rows`; of several sets the largest. */
  readonly records: RecordSet | undefined;
  /**
   * The sets of a document that has several, or more than 1 KiB beside its one: at most 16, the largest in bytes
   * first. Their envelope is the document without the records of all of them.
   */
  readonly sets?: readonly DocumentSet[] | undefined;
}

export type TextEncodingName = "utf-8" | "wtf-8" | "latin1";

/** A token count and whether it is exact. */
export interface TokenCount {
  readonly tokens: number;
  readonly exact: boolean;
}

/** How large an output is, as far as the decision needs to know. */
export interface Measurement extends TokenCount {
  readonly characters: number;
  /** Whether the count is over the limit that was asked about; exact even when `tokens` is not. */
  readonly overLimit: boolean;
}

/** A ready-made query over the records; its number is its place in the list, counted from 1. */
export interface Recipe {
  readonly description: string;
  /** The jq filter; parameters appear as jq variables. */
  readonly filter: string;
  /** Runs over all records as one array (`jq -s`). */
  readonly slurp: boolean;
  /** Prints strings without quotes (`jq -r`). */
  readonly raw: boolean;
  /** Variables of the filter and the value each has when none is given. */
  readonly params: Readonly<Record<string, string | number>>;
  /** The shell command's filter when it differs from `filter` (a value in place of a variable). */
  readonly shellFilter?: string | undefined;
}

/** MIF detail level of the stored records; `full` for data that is not MIF. */
export type DetailLevel = "light" | "medium" | "full";

/** A stored tool output. Plain JSON data: it is what a store keeps beside the body. */
export interface StoredArtifact {
  /** ULID; unguessable, and useless outside the session it belongs to. */
  readonly id: string;
  readonly fileName: string;
  /** Absolute path; `undefined` when the store has no local files. */
  readonly filePath?: string | undefined;
  readonly kind: ContentKind;
  readonly layout: Layout;
  /** In a table: a quote is a character like any other. Absent where it can open a cell. */
  readonly literalQuotes?: true | undefined;
  readonly encoding: TextEncodingName;
  readonly toolName: string;
  /** `recall`, `search`, `inject`, `list`, or the tool's name made safe. */
  readonly operation: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** What the output is, in one line; only where somebody said. */
  readonly title?: string | undefined;
  readonly detail: DetailLevel;
  /** Size of the stored file in bytes, header line included. */
  readonly sizeBytes: number;
  /** Length of the header line with its line end, in bytes; 0 when there is none. */
  readonly headerBytes: number;
  /**
   * SHA-256 of the body without its header line, in hex: whoever fetches a body whole from another machine
   * compares. Absent where the body stays on this one.
   */
  readonly bodySha256?: string | undefined;
  /** Lines of the stored file, header line included. */
  readonly lineCount: number;
  /** Of all sets together. */
  readonly recordCount?: number | undefined;
  /** The record sets of a document that has several, or much beside its one; the largest first. */
  readonly sets?: readonly SetPlace[] | undefined;
  /** Tokens that the output would have cost inline. */
  readonly tokens: number;
  readonly tokensExact: boolean;
  readonly recipes: readonly Recipe[];
  /** Field names of the records, commonest first; helps to answer a wrong name. */
  readonly fields: readonly string[];
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; from then on the artifact is gone for every reader. */
  readonly expiresAt: number;
  /** SHA-256 of the session, in hex: what a drill-in's session is compared with. */
  readonly scope: string;
}

/**
 * The forms of a descriptor. The first four are those of the LRO specification and its shorter
 * kin, `text` for outputs without records; the others are those of other published designs.
 */
export type DescriptorForm =
  | "full"
  | "generic"
  | "bare"
  | "text"
  | "envelope"
  | "file-reference"
  | "message";

/** What the model sees instead of the output. */
export interface Descriptor {
  readonly form: DescriptorForm;
  /** JSON text, byte-stable for equal outputs but for the path and the id. */
  readonly text: string;
  readonly tokens: number;
}

/** Names of the drill-in tools that this agent has; guidance speaks of no other. */
export interface DrillInToolNames {
  readonly read?: string | undefined;
  readonly grep?: string | undefined;
  readonly jq?: string | undefined;
  readonly sql?: string | undefined;
  readonly extract?: string | undefined;
}

/** An output that was stored. */
export interface OffloadedOutput {
  readonly outcome: "offloaded";
  /** The descriptor's text: the new content of the tool message. */
  readonly text: string;
  readonly descriptor: Descriptor;
  readonly storedArtifact: StoredArtifact;
  /** Images and files that stood beside the text. */
  readonly keptBlocks: readonly unknown[];
}

/** One of several outputs that its tool did not finish: its stream threw, or was aborted. */
export interface FailedOutput {
  readonly outcome: "failed";
  /** What the stream threw, or the reason of the signal. */
  readonly error: unknown;
}

/** What became of a tool output. */
export type OffloadResult =
  | {
      readonly outcome: "inline";
      readonly value: unknown;
      /** The value as a preset wraps it; absent when it is passed on unchanged. */
      readonly text?: string | undefined;
      readonly keptBlocks?: readonly unknown[] | undefined;
    }
  | OffloadedOutput
  | {
      readonly outcome: "truncated";
      /** The output cut to the threshold, with a warning that says what is missing. */
      readonly text: string;
      readonly keptBlocks: readonly unknown[];
      /** Why it could not be stored; `undefined` when it was to be cut. */
      readonly error: unknown;
    };
