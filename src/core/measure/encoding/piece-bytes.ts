const encoder = new TextEncoder();

/**
 * Writes UTF-8 and returns its length; a lone surrogate becomes U+FFFD.
 *
 * @param bytes - Room for three bytes per UTF-16 unit.
 */
export function writePiece(piece: string, bytes: Uint8Array): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    // Most pieces are short ASCII, for which a call of the encoder is slower.
    if (code >= 0x80) return encoder.encodeInto(piece, bytes).written;
    bytes[at] = code;
  }
  return piece.length;
}
