import { deflateSync } from "node:zlib";

/** Bytes of a test, the same each time. */
export function noise(length: number, seed = 7): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name, "latin1"), data, Buffer.alloc(4)]);
}

/** A PNG of so many pixels whose data have about so many bytes; its checksums are none. */
export function png(width = 640, height = 480, dataBytes = 100_000): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(noise(dataBytes, width))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A JPEG with a large segment of a camera before its frame. */
export function jpeg(width: number, height: number, dataBytes = 100_000): Buffer {
  const camera = Buffer.concat([Buffer.from([0xff, 0xe1, 0x40, 0x02]), noise(0x4000)]);
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0, 0, 2, 0, 0, 3, 0, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const data = noise(dataBytes).map((byte) => byte & 0x7f);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), camera, frame, data, Buffer.from([0xff, 0xd9])]);
}

/** A sound of so many seconds. */
export function wav(seconds: number, bytesPerSecond = 16_000): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt32LE(bytesPerSecond, 28);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(seconds * bytesPerSecond, 40);
  return Buffer.concat([header, noise(seconds * bytesPerSecond)]);
}

/** A PDF of so many pages, with a part of its tree before the root. */
export function pdf(pages: number, more = "", fillBytes = 90_000): Buffer {
  return Buffer.concat([
    Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"),
    Buffer.from("4 0 obj\n<< /Type /Pages /Parent 2 0 R /Kids [] /Count 1 >>\nendobj\n"),
    Buffer.from("5 0 obj\nstream\n"),
    noise(fillBytes),
    Buffer.from("\nendstream\nendobj\n"),
    Buffer.from(`2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count ${pages} >>\nendobj\n`),
    Buffer.from(`trailer\n<< /Root 1 0 R ${more}>>\n%%EOF`),
  ]);
}

/** LangChain's standard block. */
export const imageBlock = (
  bytes: Uint8Array,
  mimeType = "image/png",
): { type: "image"; mimeType: string; data: string } => ({
  type: "image",
  mimeType,
  data: Buffer.from(bytes).toString("base64"),
});
