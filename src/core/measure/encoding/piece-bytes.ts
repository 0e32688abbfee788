const encoder = new TextEncoder();

/**
 * Writes a piece as UTF-8 and returns how many bytes it has; half a surrogate pair becomes U+FFFD, as in any encoder.
 *
 * @param bytes - Room for three bytes for each UTF-16 unit of the piece.
 */
export function writePiece(piece: string, bytes: Uint8Array): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    // Most pieces are ASCII, and short: a call of the encoder takes longer than they do.
    if (code >= 0x80) return encoder.encodeInto(piece, bytes).written;
    bytes[at] = code;
  }
  return piece.length;
}
