import { isLead, unfinishedBytes } from "../../../util/text-encoding.js";

type Part = string | Uint8Array;

/** Moves what a part has of a character that goes on in the next one to that next one. */
export interface WholeCharacters {
  /** What has to go before a part of another kind, which cannot complete it. */
  endBefore(part: Part): Part | undefined;
  /** The part without its unfinished character, behind that of the part before. */
  take(part: Part): Part;
  /** What no part has completed. */
  end(): Part | undefined;
}

/** Nothing is held yet. */
export function createWholeCharacters(): WholeCharacters {
  let begun: Part | undefined;

  function end(): Part | undefined {
    const left = begun;
    begun = undefined;
    return left;
  }

  return {
    endBefore: (part) => (typeof begun === typeof part ? undefined : end()),
    take(part) {
      const left = end();
      const whole = left === undefined ? part : joined(left, part);
      const length = whole.length - unfinishedUnits(whole);
      if (length === whole.length) return whole;
      if (typeof whole === "string") {
        begun = whole.slice(length);
        return whole.slice(0, length);
      }
      // Copied: a producer may use its memory again.
      begun = Buffer.from(whole.subarray(length));
      return whole.subarray(0, length);
    },
    end,
  };
}

function joined(one: Part, other: Part): Part {
  return typeof one === "string" && typeof other === "string"
    ? one + other
    : Buffer.concat([bytesOf(one), bytesOf(other)]);
}

function bytesOf(part: Part): Uint8Array {
  return typeof part === "string" ? Buffer.from(part) : part;
}

/** UTF-16 units of a string, or bytes, at the end of a part that begin a character. */
function unfinishedUnits(part: Part): number {
  if (typeof part !== "string") return unfinishedBytes(part);
  return isLead(part.charCodeAt(part.length - 1)) ? 1 : 0;
}
