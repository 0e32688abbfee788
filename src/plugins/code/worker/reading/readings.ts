import { openSource, type ByteReader } from "../../../../core/engines/readers/byte-reader.js";
import type { OwnRun } from "../../../../core/engines/run-status.js";
import { isOneDocument } from "../../../../core/engines/data-source.js";
import { fieldOf } from "../../../../util/field-of.js";
import { grouped } from "../../../../util/amounts.js";
import type { CodeBody } from "../../request.js";
import {
  type Batch,
  lineBatches,
  type OpenPart,
  recordBatches,
  rowBatches,
  setBatches,
  textBatches,
  wholeText,
} from "./batches.js";
import { chooseSet, onlyList, recordsAt, valuesIn } from "./document-records.js";
import { GuestFault } from "../ends.js";
import { pickedBatches } from "./picked-fields.js";
import type { ReadLog } from "./read-log.js";
import { roundedInteger } from "./rounded-integer.js";

/** As what the batches of a reading are to be taken. */
type ReadingKind = "records" | "lines" | "json" | "text";

/** An output that is being read. */
export interface Reading {
  readonly kind: ReadingKind;
  next(): string | Uint8Array | undefined;
  /** Ends it before its end, with so much of the last batch untaken. */
  leave(untaken: number): void;
  close(): void;
}

/** What of the records is wanted. */
export interface Wanted {
  readonly fields?: readonly string[] | undefined;
  readonly set?: string | undefined;
}

/** Begins to read outputs. What cannot be read so is a {@link GuestFault} that says what can. */
export interface Readings {
  records(body: CodeBody, wanted: Wanted): Reading;
  lines(body: CodeBody): Reading;
  whole(body: CodeBody): Reading;
  /** As what it is: records, lines of a text, or the value of a document. */
  natural(body: CodeBody): Reading;
}

/** A document without its records on lines of their own is held whole, in this worker. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024;
const MAX_WHY_CHARACTERS = 300;
const BY_LINES = "outputs.lines(id) reads its lines one by one";

export function createReadings(own: OwnRun, log: ReadLog, guestMemoryBytes: number): Readings {
  const maxLineBytes = Math.floor(guestMemoryBytes / 2);

  function begin(
    body: CodeBody,
    kind: ReadingKind,
    make: (open: OpenPart, parsedFrom: (json: string | Uint8Array) => void) => Iterable<Batch>,
  ): Reading {
    const sources: ByteReader[] = [];
    const open: OpenPart = (part) => {
      const source = own.counting(openSource(body.source, part));
      sources.push(source);
      return source;
    };
    const units = { records: "records", lines: "lines", json: "bytes", text: "bytes" } as const;
    const pass = log.begin(body.id, units[kind]);
    let isExact = true;
    const parsedFrom = (json: string | Uint8Array): void => {
      const rounded = isExact ? roundedInteger(json) : undefined;
      if (rounded === undefined) return;
      isExact = false;
      pass.rounded(rounded);
    };
    // Some open the body at once.
    const batches = orFault(() => make(open, parsedFrom))[Symbol.iterator]();
    const close = (): void => {
      for (const source of sources.splice(0)) source.close();
    };
    return {
      kind,
      close,
      leave(untaken) {
        pass.end(false, untaken);
        close();
      },
      next() {
        const next = orFault(() => batches.next());
        if (next.done === true) {
          pass.end(true);
          close();
          return undefined;
        }
        if (kind === "records") parsedFrom(next.value.parsedFrom ?? next.value.content);
        pass.add(next.value.count);
        return next.value.content;
      },
    };
  }

  function* batchesOf(body: CodeBody, { set }: Wanted, open: OpenPart): Generator<Batch, void> {
    const { layout, sets } = body;
    if (layout === "records") return yield* recordBatches(open(), maxLineBytes);
    if (layout === "rows") return yield* rowBatches(body, open(), maxLineBytes);
    if (sets !== undefined) {
      const { lines, isMap = false, ...place } = chooseSet(sets, set);
      if (lines === undefined) return yield* recordsAt(parsed(body, open), place);
      return yield* setBatches(open(lines), isMap, maxLineBytes);
    }
    if (isOneDocument(body)) return yield* onlyList(parsed(body, open));
    checkSize(body, MAX_PARSED_BYTES, BY_LINES);
    return yield* valuesIn(wholeText(body, open()));
  }

  function records(body: CodeBody, wanted: Wanted): Reading {
    const { layout, sets, markup } = body;
    if (layout === "text" && markup === undefined)
      throw new GuestFault(
        "this output is text and has no records: use outputs.lines(id), or outputs.read(id) for all of it",
      );
    if (sets !== undefined) chooseSet(sets, wanted.set);
    const { fields } = wanted;
    return begin(body, "records", (open) => {
      const batches = batchesOf(body, wanted, open);
      return fields === undefined ? batches : pickedBatches(batches, fields);
    });
  }

  function whole(body: CodeBody): Reading {
    const isValue = isOneDocument(body);
    if (!isValue && body.layout !== "text") return records(body, {});
    checkSize(body, maxLineBytes, BY_LINES);
    return begin(body, isValue ? "json" : "text", function* (open, parsedFrom) {
      const text = wholeText(body, open());
      if (isValue) parsedFrom(text);
      yield* textBatches(text, sizeOf(body));
    });
  }

  const lines = (body: CodeBody): Reading =>
    begin(body, "lines", (open) => lineBatches(body, open(), maxLineBytes));

  return {
    records,
    lines,
    whole,
    natural(body) {
      if (isOneDocument(body) && body.sets === undefined) return whole(body);
      return body.layout === "text" ? lines(body) : records(body, {});
    },
  };
}

function parsed(body: CodeBody, open: OpenPart): unknown {
  checkSize(body, MAX_PARSED_BYTES, BY_LINES);
  return JSON.parse(wholeText(body, open()));
}

/** What goes wrong with a body, in words that name no file. */
function orFault<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof GuestFault || !(error instanceof Error)) throw error;
    const code = fieldOf(error, "code");
    if (code === "ENOENT") {
      throw new GuestFault("this output cannot be read: it was deleted meanwhile, or has expired");
    }
    const why = typeof code === "string" ? code : error.message.slice(0, MAX_WHY_CHARACTERS);
    throw new GuestFault(`this output cannot be read: ${why}`);
  }
}

function checkSize(body: CodeBody, maxBytes: number, instead: string): void {
  const sizeBytes = sizeOf(body);
  if (sizeBytes <= maxBytes) return;
  throw new GuestFault(
    `this output has ${grouped(sizeBytes)} bytes, more than the ${grouped(maxBytes)} that can be held at once: ${instead}`,
  );
}

function sizeOf({ source }: CodeBody): number {
  return "bytes" in source ? source.bytes.length : source.end - source.start;
}
