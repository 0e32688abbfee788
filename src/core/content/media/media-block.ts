import { mediaTypeFrom } from "./media-type.js";
import { fieldOf } from "../../../util/field-of.js";
import { pause } from "../../../util/pause.js";

export interface MediaBlock {
  /** Computed from the length of the base64. */
  readonly sizeBytes: number;
  readonly declaredType: string | undefined;
  readonly name: string | undefined;
  /** `undefined` if the block's text is not base64. */
  bytes(): Promise<Uint8Array | undefined>;
}

interface Carrier {
  readonly data: string | Uint8Array;
  readonly type: unknown;
}

const MAX_ADDRESS_START = 300;
const MAX_NAME_CHARACTERS = 200;
const ADDRESSES = ["url", "image_url", "file_url", "file_data"];
export const MAY_BE_BASE64: RegExp = /^[\w+/=\r\n-]*$/;
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
]);

export const MEDIA_KINDS: ReadonlySet<unknown> = new Set([
  "image",
  "image_url",
  "input_image",
  "computer_screenshot",
  "audio",
  "input_audio",
  "video",
  "file",
  "input_file",
  "document",
  "text-plain",
  "media",
  "inlineData",
  "resource",
]);

/**
 * The bytes in a block of LangChain, OpenAI, Anthropic, Google or MCP. `undefined` for references, text, and objects
 * that throw. Decoding is lazy.
 */
export function mediaBlock(block: unknown): MediaBlock | undefined {
  try {
    const carrier = carrierOf(block);
    if (carrier === undefined) return undefined;
    const { data, type } = carrier;
    const isText = typeof data === "string";
    return {
      sizeBytes: isText ? Math.floor((data.length * 3) / 4) : data.length,
      declaredType: mediaTypeFrom(type),
      name: nameOf(block),
      bytes: async () => (isText ? await bytesOfBase64(data) : data),
    };
  } catch {
    return undefined;
  }
}

export function carrierOf(block: unknown, depth = 0): Carrier | undefined {
  if (typeof block !== "object" || block === null || depth > 2) return undefined;
  const kind = fieldOf(block, "type");
  // Records may have the same fields.
  if (depth === 0 && !MEDIA_KINDS.has(kind)) return undefined;
  const said = fieldOf(block, "source_type");
  if (said !== undefined && said !== "base64" && said !== "url") return undefined;
  const format = fieldOf(block, "format");
  const type =
    fieldOf(block, "mimeType") ??
    fieldOf(block, "mime_type") ??
    fieldOf(block, "media_type") ??
    FORMATS.get(format) ??
    format;
  const data = fieldOf(block, "data");
  if (data instanceof Uint8Array) return { data, type };
  const isTyped = typeof kind === "string" || type !== undefined;
  if (typeof data === "string" && isTyped && (kind !== "text" || said === "base64")) {
    return (
      addressed(data, type) ??
      (MAY_BE_BASE64.test(data.slice(0, MAX_ADDRESS_START)) ? { data, type } : undefined)
    );
  }
  const blob = fieldOf(block, "blob");
  if (typeof blob === "string" && typeof fieldOf(block, "uri") === "string") {
    return { data: blob, type };
  }
  const given = ADDRESSES.map((field) => addressed(fieldOf(block, field), type));
  const inner = INNER.map((field) => carrierOf(fieldOf(block, field), depth + 1));
  return [...given, ...inner].find((carrier) => carrier !== undefined);
}

const INNER = ["source", "image_url", "input_audio", "file", "resource", "inlineData"];

function addressed(address: unknown, type: unknown): Carrier | undefined {
  if (typeof address !== "string" || !address.startsWith("data:")) return undefined;
  const start = address.slice(0, MAX_ADDRESS_START);
  const comma = start.indexOf(",");
  if (comma === -1 || !start.slice(0, comma).endsWith(";base64")) return undefined;
  return { data: address.slice(comma + 1), type: mediaTypeFrom(start.slice(5, comma)) ?? type };
}

function nameOf(block: unknown): string | undefined {
  const inner = ["metadata", "file", "resource"].map((place) => fieldOf(block, place));
  const names = ["filename", "name", "title", "uri"]
    .flatMap((field) => [block, ...inner].map((place) => fieldOf(place, field)))
    .filter((name) => typeof name === "string");
  return names.find((name) => name.trim() !== "")?.slice(0, MAX_NAME_CHARACTERS);
}

const PIECE_CHARACTERS = 1_048_576;
const BASE64 = /^[\w+/-]*$/;

/** Strict, except for line ends, missing padding and the URL alphabet. Yields every MiB. */
async function bytesOfBase64(text: string): Promise<Buffer | undefined> {
  const body = text.trimEnd().replace(/={1,2}$/, "");
  const pieces: Buffer[] = [];
  let rest = "";
  for (let at = 0; at < body.length; at += PIECE_CHARACTERS) {
    if (at > 0) await pause();
    const piece = rest + body.slice(at, at + PIECE_CHARACTERS).replaceAll(/[\r\n]/g, "");
    if (!BASE64.test(piece)) return undefined;
    rest = piece.slice(piece.length - (piece.length % 4));
    pieces.push(Buffer.from(piece.slice(0, piece.length - rest.length), "base64"));
  }
  // A last character alone holds no byte.
  if (body === "" || rest.length === 1) return undefined;
  return Buffer.concat([...pieces, Buffer.from(rest, "base64")]);
}
