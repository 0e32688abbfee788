import { isOdd, isPlain, jsonOf } from "../content/value/any-json.js";
import { byteView } from "../content/bytes.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { mapConcurrent } from "../../util/slices.js";
import type { TextPart } from "../types/plugin.js";

/** Cleaned together: plug-ins may wait for each, and each that waits has a timer. */
export const CLEANED_AT_ONCE = 64;
/** What a call costs, in bytes of a text that cost as much. */
const CALL_BYTES = 1024;

export class CleanFault extends Error {
  constructor(cause: unknown) {
    super("The output could not be cleaned.", { cause });
    this.name = "CleanFault";
  }
}

export function withheldSentence(toolName: string): string {
  return `The output of ${toolName} is withheld, because redacting it failed. The call itself was made. Do not repeat it for this reason; say that its output cannot be shown.`;
}

export interface Cleaner {
  text(text: string, part: TextPart["part"]): Promise<string>;
  json(json: string, part: TextPart["part"]): Promise<string>;
  /** Returns the same value if it does not change. `undefined` for a value without JSON. */
  value<Value>(value: Value, part: TextPart["part"]): Promise<Value | undefined>;
}

/**
 * @param broken - Called when a cleaned JSON text is no longer JSON.
 * @param cleanTexts - Left as they are, also inside of other texts.
 */
export function createCleaner(
  clean: (text: string, part: TextPart) => Promise<string>,
  toolName: string,
  broken: (error: unknown) => void,
  cleanTexts: Iterable<unknown> = [],
): Cleaner {
  let bytesSincePause = 0;
  let paused: Promise<void> | undefined;

  async function text(given: string, part: TextPart["part"]): Promise<string> {
    for (const known of cleanTexts) {
      if (typeof known !== "string" || known === "" || !given.includes(known)) continue;
      const others = given.split(known);
      const cleaned = await mapConcurrent(
        others,
        CLEANED_AT_ONCE,
        async (other) => other && (await text(other, part)),
      );
      return cleaned.join(known);
    }
    // Writing long or many texts, and cleaning them, take long. All that are cleaned together pause.
    bytesSincePause += given.length + CALL_BYTES;
    if (bytesSincePause > BYTES_BETWEEN_PAUSES) {
      bytesSincePause = 0;
      paused = pause();
    }
    await paused;
    try {
      return await clean(given, { toolName, part });
    } catch (cause) {
      throw new CleanFault(cause);
    }
  }

  async function json(given: string, part: TextPart["part"]): Promise<string> {
    const cleaned = await text(given, part);
    if (cleaned === given) return given;
    try {
      JSON.parse(cleaned);
      return cleaned;
    } catch (cause) {
      broken(cause);
      throw new CleanFault(cause);
    }
  }

  return {
    text,
    json,
    async value(given, part) {
      const { json: told, tellsAll } = toldJson(given);
      if (told === undefined) return undefined;
      const cleaned = await json(told, part);
      return cleaned === told && tellsAll ? given : JSON.parse(cleaned);
    },
  };
}

function toldJson(value: unknown): {
  readonly json: string | undefined;
  readonly tellsAll: boolean;
} {
  let tellsAll = true;
  function look(this: unknown, key: string, member: unknown): unknown {
    if (typeof member === "bigint") return String(member);
    const held: unknown = Reflect.get(Object(this), key);
    if (typeof held !== "object" || held === null || !isOdd(held)) return member;
    // Files are not cleaned.
    if (byteView(held) === undefined) tellsAll = false;
    return null;
  }
  try {
    const json = JSON.stringify(value, isPlain(value) ? undefined : look);
    return { json: tellsAll ? json : jsonOf(value), tellsAll };
  } catch {
    return { json: jsonOf(value), tellsAll: false };
  }
}
