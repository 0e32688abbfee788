import type { ByteReader } from "./byte-reader.js";

const CHUNK_BYTES = 64 * 1024;

/** Longest cell, in UTF-16 code units: what an opening quote without a closing one may swallow. */
const MAX_CELL_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads CSV or TSV as JSON lines: each row an object of strings, keyed by the cells of the first
 * row. A short row lacks the last keys, cells beyond the header are keyed `column_N`, an empty name
 * in the header too; empty lines are skipped. Quotes as in RFC 4180. Holds one row at a time.
 */
export function createRowsReader(source: ByteReader, delimiter: "," | "\t"): ByteReader {
  const chunk = new Uint8Array(CHUNK_BYTES);
  const decoder = new TextDecoder();
  const parser = createRowParser(delimiter);
  let ready: Uint8Array = new Uint8Array(0);
  let ended = false;

  return {
    read(target) {
      while (ready.length === 0 && !ended) {
        const count = source.read(chunk);
        ended = count === 0;
        const text = ended
          ? decoder.decode()
          : decoder.decode(chunk.subarray(0, count), { stream: true });
        ready = Buffer.from(parser(text, ended), "utf8");
      }
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
}

/** Returns a function that takes the next text and gives the JSON lines of the rows it completes. */
function createRowParser(delimiter: string): (text: string, last: boolean) => string {
  const special = new RegExp(`[${delimiter}"\r\n]`, "g");
  let header: readonly string[] | undefined;
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  // A quote inside a quoted cell: whether it ends the cell shows in the next character.
  let quoteSeen = false;
  let afterReturn = false;

  function endCell(): void {
    row.push(cell);
    cell = "";
    quoteSeen = false;
  }

  function endRow(): string {
    endCell();
    const cells = row;
    row = [];
    if (cells.length === 1 && cells[0] === "") return "";
    if (header === undefined) {
      header = cells.map((name, i) => JSON.stringify(name === "" ? `column_${i + 1}` : name));
      return "";
    }
    const names = header;
    const pairs = cells.map(
      (value, i) => `${names[i] ?? `"column_${i + 1}"`}:${JSON.stringify(value)}`,
    );
    return `{${pairs.join(",")}}\n`;
  }

  return (text, last) => {
    let out = "";
    let at = 0;
    while (at < text.length) {
      if (cell.length > MAX_CELL_CHARACTERS) {
        throw new Error(
          `a cell is longer than ${MAX_CELL_CHARACTERS} characters; is a quote left open?`,
        );
      }
      if (quoted) {
        const end = text.indexOf('"', at);
        cell += text.slice(at, end < 0 ? text.length : end);
        at = end < 0 ? text.length : end + 1;
        quoted = end < 0;
        quoteSeen = end >= 0;
        continue;
      }
      const character = text[at] ?? "";
      if (afterReturn) {
        afterReturn = false;
        if (character === "\n") {
          at += 1;
          continue;
        }
      }
      if (character === '"' && (quoteSeen || cell === "")) {
        if (quoteSeen) cell += '"';
        quoted = true;
        quoteSeen = false;
        at += 1;
      } else if (character === delimiter) {
        endCell();
        at += 1;
      } else if (character === "\n" || character === "\r") {
        out += endRow();
        afterReturn = character === "\r";
        at += 1;
      } else {
        quoteSeen = false;
        special.lastIndex = at + 1;
        const end = special.exec(text)?.index ?? text.length;
        cell += text.slice(at, end);
        at = end;
      }
    }
    if (last && (cell !== "" || row.length > 0)) out += endRow();
    return out;
  };
}
