import { pause } from "../../../util/pause.js";

/** Characters of base64 that are decoded at once; a multiple of four. */
const PIECE_CHARACTERS = 1_048_576;

/**
 * The bytes of a base64 text; `undefined` for a text that is none, so that nothing of it would be lost. Line ends in it, a missing
 * end, and the alphabet for addresses are understood. The event loop gets a turn every MiB.
 */
export async function bytesOfBase64(text: string): Promise<Buffer | undefined> {
  if (text === "") return undefined;
  return (await strictBytes(text)) ?? (await strictBytes(await plainBase64(text)));
}

/** Bytes that a base64 text stands for, by its length alone. */
export function base64Bytes(text: string): number {
  return Math.floor((text.length * 3) / 4);
}

/** The same in the usual alphabet, without line ends, filled up. */
async function plainBase64(text: string): Promise<string> {
  const plain: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const piece = text.slice(at, at + PIECE_CHARACTERS);
    if (at > 0) await pause();
    plain.push(
      piece.replaceAll("\r", "").replaceAll("\n", "").replaceAll("-", "+").replaceAll("_", "/"),
    );
  }
  const joined = plain.join("");
  const end = joined.indexOf("=");
  const body = end === -1 || joined.length - end > 3 ? joined : joined.slice(0, end);
  return body + "=".repeat((4 - (body.length % 4)) % 4);
}

/** `undefined` where writing the bytes as base64 would give another text. */
async function strictBytes(text: string): Promise<Buffer | undefined> {
  if (text.length % 4 !== 0) return undefined;
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const piece = text.slice(at, at + PIECE_CHARACTERS);
    const bytes = Buffer.from(piece, "base64");
    if (bytes.toString("base64") !== piece) return undefined;
    pieces.push(bytes);
    if (at > 0) await pause();
  }
  const [only] = pieces;
  return pieces.length === 1 ? only : Buffer.concat(pieces);
}
