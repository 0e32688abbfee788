import type { Content } from "../types.js";
import { headerRow } from "./csv-row.js";
import { wholeCharactersEnd } from "./safe-text.js";

/** What an output is cut from. */
export interface TruncateInput {
  /** `undefined` when the output could not be identified: it is cut as text. */
  readonly content: Content | undefined;
  /** The output as it came. */
  readonly text: string;
  /** Bytes of the whole output when `text` is only its beginning. */
  readonly totalBytes?: number | undefined;
  /** Tokens of the whole output, for the warning. */
  readonly totalTokens: number;
  /** Most tokens of the result, its warning included. */
  readonly limitTokens: number;
  /** Length of the longest head of a text within a number of tokens, in UTF-16 units. */
  readonly fit: (text: string, limitTokens: number) => number | Promise<number>;
  /** Tokens of a text. */
  readonly count: (text: string) => number | Promise<number>;
}

/** An output that was cut, and what is left of it. */
export interface TruncatedOutput {
  readonly text: string;
  readonly returnedTokens: number;
  /** Whole records in the result; `undefined` when it is text. */
  readonly returnedCount: number | undefined;
}

const WARNING = "Storing this output failed; it is truncated and what is missing is lost.";
/** Characters that are looked at for each token of the limit; no data has more on average. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * Cuts an output to a limit, with a warning inside the limit that says what is missing. Records come back
 * whole, from the first on, as one JSON object, rows as a table with its header, anything else as the
 * head of the text. The result never has more than `limitTokens` and splits no character; a limit that
 * is too small for the warning gives a shorter one, and at last an empty text.
 */
export async function truncateOutput(input: TruncateInput): Promise<TruncatedOutput> {
  return (await truncateRecords(input)) ?? (await truncateText(input));
}

async function truncateRecords(input: TruncateInput): Promise<TruncatedOutput | undefined> {
  const { content, limitTokens, count, fit } = input;
  const records = content?.records;
  if (content === undefined || records === undefined) return undefined;
  const write = content.layout === "rows" ? rowsWriter(input, content) : recordsWriter(input);
  const frameTokens = await count(write(0, []));
  if (frameTokens >= limitTokens) return undefined;

  const gathered: string[] = [];
  const maxCharacters = MAX_CHARACTERS_PER_TOKEN * limitTokens;
  for (
    let index = 0, characters = 0;
    index < records.count && characters < maxCharacters;
    index += 1
  ) {
    const record = records.at(index);
    characters += record.length + 1;
    gathered.push(record);
  }
  const fitting = await fit(gathered.join(","), limitTokens - frameTokens);
  let kept = 0;
  for (let end = -1; kept < gathered.length; kept += 1) {
    end += 1 + (gathered[kept] ?? "").length;
    if (end > fitting) break;
  }
  // The parts cost other tokens together than alone, so the whole is counted again.
  while (kept > 0) {
    const text = write(kept, gathered.slice(0, kept));
    const tokens = await count(text);
    if (tokens <= limitTokens) return { text, returnedTokens: tokens, returnedCount: kept };
    kept = Math.min(kept - 1, Math.floor((kept * limitTokens) / tokens));
  }
  return undefined;
}

type Writer = (returnedCount: number, records: readonly string[]) => string;

function recordsWriter({ content, totalTokens }: TruncateInput): Writer {
  const frame = (returnedCount: number): string =>
    JSON.stringify({
      offload_failed: true,
      truncated: true,
      warning: WARNING,
      total_count: content?.records?.count ?? 0,
      returned_count: returnedCount,
      total_tokens: totalTokens,
    });
  return (returnedCount, records) =>
    `${frame(returnedCount).slice(0, -1)},"records":[${records.join(",")}]}`;
}

function rowsWriter({ totalTokens }: TruncateInput, content: Content): Writer {
  const header = headerRow(content);
  const total = content.records?.count ?? 0;
  return (returnedCount, rows) =>
    [
      ...(header === "" ? [] : [header]),
      ...rows,
      `[${WARNING} ${returnedCount} of ${total} rows are here, of ${totalTokens} tokens in all.]`,
    ].join("\n");
}

async function truncateText(input: TruncateInput): Promise<TruncatedOutput> {
  const { text, limitTokens, totalTokens, count, fit } = input;
  const { totalBytes } = input;
  const total = totalBytes === undefined ? `of ${text.length} characters` : "characters";
  const all = totalBytes === undefined ? "" : `${totalBytes} bytes and `;
  const warning = (end: number): string =>
    `\n[${WARNING} ${end} ${total} are here, of ${all}${totalTokens} tokens in all.]`;
  const head = text.slice(0, MAX_CHARACTERS_PER_TOKEN * limitTokens);
  const room = limitTokens - (await count(warning(text.length)));
  let end = room > 0 ? lineOrCharacterEnd(text, Math.min(await fit(head, room), head.length)) : 0;
  while (end > 0) {
    const cut = text.slice(0, end) + warning(end);
    const tokens = await count(cut);
    if (tokens <= limitTokens) {
      return { text: cut, returnedTokens: tokens, returnedCount: undefined };
    }
    const smaller = Math.min(end - 1, Math.floor((0.95 * end * limitTokens) / tokens));
    end = wholeCharactersEnd(text, smaller);
  }
  for (const least of [warning(0).trimStart(), `[${WARNING}]`, "[truncated]", ""]) {
    const tokens = least === "" ? 0 : await count(least);
    if (tokens <= limitTokens) {
      return { text: least, returnedTokens: tokens, returnedCount: undefined };
    }
  }
  return { text: "", returnedTokens: 0, returnedCount: undefined };
}

/** The end of the last whole line when that keeps at least nine tenths, otherwise of the last character. */
function lineOrCharacterEnd(text: string, maxCharacters: number): number {
  const end = wholeCharactersEnd(text, maxCharacters);
  const lineEnd = text.lastIndexOf("\n", end - 1);
  return lineEnd >= 0.9 * end ? lineEnd : end;
}
