import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { inspectMedia } from "../../../src/plugins/media/inspect-media.js";
import { jpeg, pdf, png } from "../../core/pipeline/media/samples.js";

const inspect = (bytes: Uint8Array, declaredType?: string) =>
  inspectMedia(bytes, { declaredType, name: undefined });
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

describe("what bytes are", () => {
  it("tells the pixels of a PNG, a JPEG behind a camera's segment, a GIF and a WebP", () => {
    expect(inspect(png(1920, 1080))).toMatchObject({
      type: "image/png",
      width: 1920,
      height: 1080,
    });
    expect(inspect(jpeg(4032, 3024))).toMatchObject({
      type: "image/jpeg",
      width: 4032,
      height: 3024,
    });
    const gif = Buffer.concat([latin1("GIF89a"), Buffer.from([0x40, 1, 0xf0, 0, 0x3b])]);
    expect(inspect(gif)).toMatchObject({ type: "image/gif", width: 320, height: 240 });
    expect(inspect(gif.subarray(0, -1))).not.toHaveProperty("width");
    const webp = Buffer.concat([latin1("RIFF\0\0\0\0WEBPVP8X"), Buffer.alloc(14)]);
    webp.writeUIntLE(799, 24, 3);
    webp.writeUIntLE(599, 27, 3);
    expect(inspect(webp)).toMatchObject({ type: "image/webp", width: 800, height: 600 });
  });

  it("tells the pages of a PDF by the root of its tree, and not where the tree is packed", () => {
    expect(inspect(pdf(12))).toMatchObject({ kind: "pdf", type: "application/pdf", pages: 12 });
    expect(inspect(pdf(3, "/Encrypt 9 0 R "))).toMatchObject({ pages: 3, locked: true });
    expect(inspect(pdf(3, "(see /Encrypt in the trailer) "))).not.toHaveProperty("locked");
    expect(inspect(latin1("%PDF-1.7\n1 0 obj << /Type /ObjStm >>")).pages).toBeUndefined();
    const linear = "%PDF-1.7\n1 0 obj\n<</Linearized 1/L 9/N 141/T 1>>\nendobj\n";
    expect(inspect(latin1(linear)).pages).toBe(141);
  });

  it("does not tell sound in an MPEG-4 file to be a video", () => {
    const sound = latin1("\0\0\0\x1cftypM4A \0\0\0\0");
    expect(inspect(sound, "audio/aac")).toMatchObject({ kind: "audio", type: "audio/aac" });
    expect(inspect(sound).kind).toBe("file");
    expect(inspect(latin1("\0\0\0\x1cftypisom")).type).toBe("video/mp4");
  });

  it("takes a text for one by its type, and a text that begins like a mark for a text", () => {
    expect(inspect(Buffer.from("id,name\n1,Zoë\n"), "text/csv").isText).toBe(true);
    expect(inspect(Buffer.from([0xff, 0xfe, 0, 1]), "text/csv").isText).toBe(false);
    for (const text of [
      "ID3 tags are old",
      "BMW makes cars and other things",
      "OggSound",
      "xxxxftyp",
    ])
      expect(inspect(Buffer.from(text), "text/plain")).toMatchObject({
        type: "text/plain",
        isText: true,
      });
  });
});

describe("hostile headers", () => {
  const marks = [
    "\x89PNG\r\n\x1a\n",
    "\xff\xd8\xff\xe1",
    "GIF89a",
    "RIFF0000WEBPVP8X",
    "RIFF0000WEBPVP8 ",
    "RIFF0000WEBPVP8L",
    "RIFF0000WAVEfmt ",
    "ID3\x04",
    "\xff\xfb\x90",
    "%PDF-1.7 /Type /Pages /Count ",
    "BM",
  ];

  it("never throw, and never come to a size that is none", () => {
    fc.assert(
      fc.property(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 400 }), (mark, rest) => {
        const media = inspect(Buffer.concat([latin1(mark), rest]));
        for (const size of [media.width, media.height, media.pages]) {
          if (size !== undefined) expect(Number.isFinite(size) && size > 0).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("end a pipeline through segments that lead back, stand still or go on for ever", () => {
    const still = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2_000_000, 0xff)]);
    expect(inspect(still).width).toBeUndefined();
    const empty = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), Buffer.alloc(1_000)]);
    expect(inspect(empty).width).toBeUndefined();
    const tiny = Buffer.from([0xff, 0xe0, 0, 2]);
    const many = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      ...Array.from({ length: 5_000 }, () => tiny),
    ]);
    expect(inspect(many).width).toBeUndefined();
  });
});
