import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { inspectMedia } from "../../../src/plugins/media/inspect-media.js";
import { jpeg, pdf, png } from "../../core/pipeline/media/samples.js";

const inspect = (bytes: Uint8Array, declaredType?: string) =>
  inspectMedia(bytes, { declaredType, name: undefined });
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

describe("what bytes are", () => {
  it("tells the pixels of a PNG, a JPEG behind a camera's segment, a GIF and a WebP", () => {
    const gif = Buffer.concat([latin1("GIF89a"), Buffer.from([0x40, 1, 0xf0, 0, 0x3b])]);
    expect(inspect(gif.subarray(0, -1))).not.toHaveProperty("width");
    const webp = Buffer.concat([latin1("RIFF\0\0\0\0WEBPVP8X"), Buffer.alloc(14)]);
    webp.writeUIntLE(799, 24, 3);
    webp.writeUIntLE(599, 27, 3);
    for (const [bytes, type, width, height] of [
      [png(1920, 1080), "image/png", 1920, 1080],
      [jpeg(4032, 3024), "image/jpeg", 4032, 3024],
      [gif, "image/gif", 320, 240],
      [webp, "image/webp", 800, 600],
    ] as const)
      expect(inspect(bytes)).toMatchObject({ type, width, height });
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
    const told = { type: "text/plain", isText: true };
    for (const text of ["ID3 tags are old", "BMW makes cars and more", "OggSound", "xxxxftyp"])
      expect(inspect(Buffer.from(text), "text/plain")).toMatchObject(told);
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
    const empty = [Buffer.from([0xff, 0xe0, 0, 0]), Buffer.alloc(1_000)];
    const tiny = Array.from({ length: 5_000 }, () => Buffer.from([0xff, 0xe0, 0, 2]));
    for (const segments of [[Buffer.alloc(2_000_000, 0xff)], empty, tiny]) {
      const picture = Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments]);
      expect(inspect(picture).width).toBeUndefined();
    }
  });
});
