/// <reference lib="es2024.string" />
import type { CodeMade, MadeOutput } from "../request.js";
import type { HostPort, Keeping } from "./host-port.js";

/** A text that the code makes in pieces. */
export interface MadeText {
  add(piece: string, form: MadeOutput["form"]): void;
  /** The text, or what it was stored as; `undefined` when nothing was added. */
  made(): CodeMade | undefined;
  /** As far as it is held here: of a text that is being stored the beginning, with a note. */
  held(): { readonly text: string } | undefined;
  /** Gives up what is being stored of it. */
  drop(): void;
}

/** Of what is sent to a store at once. */
const PIECE_BYTES = 256 * 1024;

/** Holds a text up to a number of bytes; a longer one is stored as it comes. */
export function createMadeText(
  from: "returned" | "printed",
  maxBytes: number,
  port: HostPort,
): MadeText {
  let pieces: string[] = [];
  let heldBytes = 0;
  let sizeBytes = 0;
  let keeping: Keeping | undefined;
  let beginning = "";

  function held(): { readonly text: string } | undefined {
    if (keeping !== undefined) return { text: `${beginning}[More was ${from}, which is lost.]` };
    return pieces.length === 0 ? undefined : { text: pieces.join("") };
  }

  function push(): void {
    const bytes = Buffer.from(pieces.join(""));
    pieces = [];
    heldBytes = 0;
    keeping?.push(bytes);
  }

  return {
    add(piece, form) {
      const bytes = Buffer.byteLength(piece);
      sizeBytes += bytes;
      heldBytes += bytes;
      pieces.push(piece);
      if (heldBytes <= (keeping === undefined ? maxBytes : PIECE_BYTES)) return;
      if (keeping === undefined) {
        beginning = beginningOf(pieces.join(""), maxBytes);
        keeping = port.keep(from, form);
      }
      push();
    },
    made() {
      if (keeping === undefined) return held();
      push();
      return { keptAs: keeping.end(), sizeBytes };
    },
    held,
    drop: () => keeping?.drop(),
  };
}

/** The first lines of a text, or its first characters where none ends among them. */
function beginningOf(text: string, maxUnits: number): string {
  const kept = text.slice(0, maxUnits);
  const lines = kept.slice(0, kept.lastIndexOf("\n") + 1);
  return lines === "" ? `${kept.toWellFormed()}\n` : lines;
}

/** Lines are printed with their ends, and shown without the last one. */
export function withoutLastEnd(made: CodeMade | undefined): CodeMade | undefined {
  if (made?.keptAs !== undefined || made?.text.endsWith("\n") !== true) return made;
  return { text: made.text.slice(0, -1) };
}
