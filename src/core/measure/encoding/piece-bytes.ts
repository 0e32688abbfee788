/**
 * Writes a piece as UTF-8 and returns how many bytes it has; a lone surrogate becomes U+FFFD, as in any encoder.
 *
 * @param bytes - Room for three bytes for each UTF-16 unit of the piece.
 */
export function writePiece(piece: string, bytes: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    if (code < 0x80) {
      bytes[length++] = code;
    } else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
      bytes[length++] = continuation(code);
    } else if ((code & 0xf800) !== 0xd800) {
      length = writeThree(bytes, length, code);
    } else {
      const character = piece.codePointAt(at)!;
      if (character < 0x1_0000) {
        length = writeThree(bytes, length, 0xfffd);
        continue;
      }
      at++;
      bytes[length++] = 0xf0 | (character >> 18);
      bytes[length++] = continuation(character >> 12);
      bytes[length++] = continuation(character >> 6);
      bytes[length++] = continuation(character);
    }
  }
  return length;
}

function writeThree(bytes: Uint8Array, at: number, code: number): number {
  bytes[at] = 0xe0 | (code >> 12);
  bytes[at + 1] = continuation(code >> 6);
  bytes[at + 2] = continuation(code);
  return at + 3;
}

function continuation(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
