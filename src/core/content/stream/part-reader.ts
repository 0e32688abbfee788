import { asBuffer, NOTHING, unfinishedBytes } from "../../../util/text-encoding.js";
import { byteView } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";

/** Text or bytes; `undefined` for a record. */
export function partOf(came: unknown): string | Uint8Array | undefined {
  return typeof came === "string" ? came : byteView(came);
}

/** How a record in the middle of a text is written. */
export function jsonLine(came: unknown): string {
  return `\n${someJsonOf(came)}\n`;
}

const MARK = Buffer.from("\uFEFF");

/**
 * Makes UTF-8 of a stream without its byte order mark. UTF-16 is decoded, other bytes stay; an unfinished character
 * moves to the next part. Without a part, it returns the rest. Parts may be overwritten.
 */
export function createPartReader(): (part?: string | Uint8Array) => Buffer {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isFirst = true;
  let begun = NOTHING;
  let lead = "";
  let scratch = NOTHING;

  function encoded(part: string): Buffer {
    const text = lead + part;
    const endsWithLead = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
    const end = text.length - (endsWithLead ? 1 : 0);
    lead = text.slice(end);
    // One buffer per part would be collected late.
    if (scratch.length < 3 * end) scratch = Buffer.allocUnsafeSlow(6 * end);
    return scratch.subarray(0, scratch.write(text.slice(0, end)));
  }

  function utf8Of(part: string | Uint8Array): Buffer {
    if (typeof part === "string") return encoded(part);
    if (decoder !== undefined) return encoded(decoder.decode(part, { stream: true }));
    return lead === "" ? asBuffer(part) : Buffer.concat([takenLead(), part]);
  }

  function takenLead(): Buffer {
    const left = lead;
    lead = "";
    return Buffer.from(left);
  }

  function withoutMark(bytes: Buffer): Buffer {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) decoder = new TextDecoder("utf-16le");
    if (bytes[0] === 0xfe && bytes[1] === 0xff) decoder = new TextDecoder("utf-16be");
    if (decoder !== undefined) return utf8Of(bytes);
    return bytes.indexOf(MARK) === 0 ? bytes.subarray(MARK.length) : bytes;
  }

  return (part) => {
    if (part === undefined) return Buffer.concat([begun, takenLead()]);
    const bytes = utf8Of(part);
    let whole = begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
    begun = NOTHING;
    if (isFirst && whole.length > 1) {
      isFirst = unfinishedBytes(whole) === whole.length;
      if (!isFirst) whole = withoutMark(whole);
    }
    const length = isFirst ? 0 : whole.length - unfinishedBytes(whole);
    if (length < whole.length) begun = Buffer.from(whole.subarray(length));
    return whole.subarray(0, length);
  };
}
