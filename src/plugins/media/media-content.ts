import { createHash } from "node:crypto";

import { inspectMedia, type SaidOfMedia } from "../../core/content/media/inspect-media.js";
import { mediaTokens } from "../../core/content/media/shown-media.js";
import type { Content, Measurement } from "../../core/types/content.js";
import { sha256Of } from "../../core/content/bytes.js";
import { decodeText } from "../../util/text-encoding.js";
import type { EncodedOutput } from "../../core/pipeline/call.js";
import { contentAsCame } from "../../core/store/lay-out.js";

export async function mediaContent(bytes: Uint8Array, said: SaidOfMedia): Promise<Content> {
  const { isText, ...media } = inspectMedia(bytes, said);
  const text = isText ? await contentAsCame(decodeText(bytes)) : undefined;
  // Decoding drops a byte order mark, so such a text is stored as bytes.
  if (text !== undefined && Buffer.compare(text.body, bytes) === 0) return { ...text, media };
  return {
    kind: "binary",
    layout: "text",
    body: bytes,
    lineCount: 0,
    media,
    records: undefined,
  };
}

export async function encodedMedia(content: Content): Promise<EncodedOutput> {
  const { body, media } = content;
  const digest = await sha256Of(body);
  const told = JSON.stringify([media, content.kind, digest]);
  return {
    content,
    text: "",
    header: false,
    scoreRange: undefined,
    bodyBytes: body.length,
    fingerprint: createHash("sha256").update(told).digest("hex"),
    digest: () => Promise.resolve(digest),
    chunks: () => [body],
    close: () => Promise.resolve(),
  };
}

/** An estimate of the tokens saved: from an image's header, not from its base64 length. */
export function mediaMeasurement({ media }: Content): Measurement {
  const tokens = media === undefined ? 0 : mediaTokens(media);
  return { tokens, exact: false, characters: 0, overLimit: true };
}
