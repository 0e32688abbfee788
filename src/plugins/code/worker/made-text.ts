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
  /** What is being stored, and how it began. */
  let stored: { readonly keeping: Keeping; readonly beginning: string } | undefined;

  function held(): { readonly text: string } | undefined {
    if (stored !== undefined)
      return { text: `${stored.beginning}[More was ${from}, which is lost.]` };
    // Lines are printed with their ends, and shown without the last one.
    const text = pieces.join("");
    const shown = from === "printed" ? text.replace(/\n$/, "") : text;
    return pieces.length === 0 ? undefined : { text: shown };
  }

  function push(keeping: Keeping): void {
    keeping.push(Buffer.from(pieces.join("")));
    pieces = [];
    heldBytes = 0;
  }

  return {
    add(piece, form) {
      const bytes = Buffer.byteLength(piece);
      sizeBytes += bytes;
      heldBytes += bytes;
      pieces.push(piece);
      if (heldBytes <= (stored === undefined ? maxBytes : PIECE_BYTES)) return;
      stored ??= {
        beginning: `${pieces.join("").slice(0, maxBytes).toWellFormed()}\n`,
        keeping: port.keep(from, form),
      };
      push(stored.keeping);
    },
    made() {
      if (stored === undefined) return held();
      push(stored.keeping);
      return { keptAs: stored.keeping.end(), sizeBytes };
    },
    held,
    drop: () => stored?.keeping.drop(),
  };
}
