/** Width and height of an image, as its header says. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** How far the segments of a JPEG are followed: pictures of cameras have a small one and much else in front. */
const MAX_JPEG_BYTES = 1_048_576;
const MAX_SEGMENTS = 1_000;

/**
 * Reads the header of a PNG, JPEG, GIF, WebP or BMP. `undefined` for other types, and for a header that is cut off, or says
 * that there is no pixel. Nothing is unpacked; at most 1 MiB and 1,000 segments are looked at.
 */
export function pixelsOf(bytes: Uint8Array, type: string): Pixels | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_JPEG_BYTES));
  const pixels = read(data, type);
  return pixels !== undefined && pixels.width > 0 && pixels.height > 0 ? pixels : undefined;
}

function read(data: Buffer, type: string): Pixels | undefined {
  switch (type) {
    case "image/png":
      if (data.length < 24 || data.toString("latin1", 12, 16) !== "IHDR") return undefined;
      return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
    case "image/gif":
      if (data.length < 10) return undefined;
      return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
    case "image/bmp":
      if (data.length < 26) return undefined;
      return { width: data.readInt32LE(18), height: Math.abs(data.readInt32LE(22)) };
    case "image/webp":
      return webpPixels(data);
    case "image/jpeg":
      return jpegPixels(data);
    default:
      return undefined;
  }
}

function webpPixels(data: Buffer): Pixels | undefined {
  if (data.length < 30) return undefined;
  switch (data.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
    case "VP8L": {
      const bits = data.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case "VP8 ":
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** From segment to segment, until one begins a frame. */
function jpegPixels(data: Buffer): Pixels | undefined {
  let at = 2;
  for (let segments = 0; segments < MAX_SEGMENTS && at + 9 <= data.length; segments += 1) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1] ?? 0;
    // Of these there is only the marker.
    const isBare = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    if (isBare) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    const length = data.readUInt16BE(at + 2);
    if (length < 2 || marker === 0xd9 || marker === 0xda) return undefined;
    at += 2 + length;
  }
  return undefined;
}
