import type { CodeMade, MadeOutput } from "../request.js";
import type { HostPort, Keeping } from "./host-port.js";

/** A text that the code makes in pieces. */
export interface MadeText {
  add(piece: string, form: MadeOutput["form"]): void;
  /** The text, or what it was stored as; `undefined` when nothing was added. */
  made(): CodeMade | undefined;
  /** As far as it is held here. */
  held(): CodeMade | undefined;
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
  const held = (): CodeMade | undefined =>
    pieces.length === 0 || keeping !== undefined ? undefined : { text: pieces.join("") };

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
      keeping ??= port.keep(from, form);
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
