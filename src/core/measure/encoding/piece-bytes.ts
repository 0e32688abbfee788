const encoder = new TextEncoder();

/**
 * A lone surrogate becomes U+FFFD.
 *
 * @param bytes - Room for three bytes per UTF-16 unit.
 */
export function writePiece(piece: string, bytes: Uint8Array): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    // For short ASCII, the encoder is slower.
    if (code >= 0x80) return encoder.encodeInto(piece, bytes).written;
    bytes[at] = code;
  }
  return piece.length;
}
