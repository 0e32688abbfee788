import { isOdd } from "../value/any-json.js";
import { byteView } from "../value/binary.js";
import { jsonOf } from "../value/json-of.js";

/** What a text is that a `redact` function is given. */
export interface RedactedPart {
  readonly toolName: string;
  /**
   * `output`: all of the text that a model would read, of data their JSON. `line` and `record`: of a stream, one line
   * without its end, or the JSON of one record; `line` is also a sentence in the words of an MCP server that fails. `block`: a text in a content block beside. `arguments` and `artifact`: the
   * JSON of the call's arguments, and of what stands beside an output, such as LangChain's own artifact. `title`: what
   * somebody said that the output is.
   */
  readonly part: "output" | "line" | "record" | "block" | "arguments" | "artifact" | "title";
}

/**
 * Takes out of a text what nobody may keep or see, and gives the rest; the same text where there is nothing. What it
 * is given as JSON, but for `output`, has to be JSON afterwards.
 */
export type Redact = (text: string, part: RedactedPart) => string | Promise<string>;

/** A text could not be redacted: nothing of its output may be shown or stored. */
export class RedactFault extends Error {
  constructor(cause: unknown) {
    super("The output could not be redacted.", { cause });
    this.name = "RedactFault";
  }
}

/** What a model reads in place of an output that could not be redacted. */
export function withheldSentence(toolName: string): string {
  return (
    `The output of ${toolName} is withheld: what must not be shown could not be taken out of it. The call itself was ` +
    "made. Do not make it again for this reason; say that its output cannot be shown."
  );
}

/** The function for the parts of one tool's outputs. Every method throws {@link RedactFault} where it fails. */
export interface Redactor {
  text(text: string, part: RedactedPart["part"]): Promise<string>;
  /**
   * The same value where its JSON stays as it is and tells all of it; a map becomes an object. `undefined` for what is
   * no JSON.
   */
  value<Value>(value: Value, part: RedactedPart["part"]): Promise<Value | undefined>;
}

/** Makes the redactor of a tool. */
export function createRedactor(redact: Redact, toolName: string): Redactor {
  async function text(given: string, part: RedactedPart["part"]): Promise<string> {
    try {
      const redacted: unknown = await redact(given, { toolName, part });
      if (typeof redacted === "string") return redacted;
    } catch (cause) {
      throw new RedactFault(cause);
    }
    throw new RedactFault(new TypeError("`redact` must give a text."));
  }

  return {
    text,
    async value(given, part) {
      const { json, tellsAll } = toldJson(given);
      if (json === undefined) return undefined;
      const redacted = await text(json, part);
      return redacted === json && tellsAll ? given : parsed(redacted);
    },
  };
}

/** @throws {@link RedactFault} where a function has made something else of JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a function that redacts keeps what a value is.
export function parsed<Value>(json: string): Value {
  try {
    const value: Value = JSON.parse(json);
    return value;
  } catch (cause) {
    throw new RedactFault(cause);
  }
}

/** The JSON of a value. Of a map, a set or an error `JSON.stringify` has no word, and a checkpoint has them whole. */
function toldJson(value: unknown): {
  readonly json: string | undefined;
  readonly tellsAll: boolean;
} {
  let tellsAll = true;
  function look(this: unknown, key: string, member: unknown): unknown {
    const held: unknown = Reflect.get(Object(this), key);
    if (typeof held !== "object" || held === null || !isOdd(held)) return member;
    // Bytes are a file, of which nothing is told.
    if (byteView(held) === undefined) tellsAll = false;
    return null;
  }
  try {
    const json = JSON.stringify(value, look);
    return { json: tellsAll ? json : jsonOf(value), tellsAll };
  } catch {
    return { json: undefined, tellsAll };
  }
}
