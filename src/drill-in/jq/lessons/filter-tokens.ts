/** A part of a jq filter; blanks and comments are none. */
export interface FilterToken {
  readonly kind: "field" | "string" | "number" | "word" | "variable" | "mark";
  /** A field's name, a string's value, else as it is written. The parts of a string with code in it are marks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MARKS = ["==", "!=", "<=", ">=", "..", "//", "|=", "?//", "::"] as const;
/** Characters that begin one of them. Where none does, or no name, nothing is tried: a filter may be all brackets. */
const MARK_STARTS: ReadonlySet<string> = new Set(MARKS.map((mark) => mark.charAt(0)));
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANKS = /\s+/y;

/**
 * The tokens of a filter in order, in time linear in its length; those within `\( )` of a string stand between round
 * brackets. What is no jq gives tokens too.
 */
export function tokensOf(filter: string): readonly FilterToken[] {
  const tokens: FilterToken[] = [];
  /** What closes the open brackets; `"` for a string that code interrupts. */
  const open: string[] = [];
  let at = 0;

  function match(pattern: RegExp, from: number): string | undefined {
    pattern.lastIndex = from;
    return pattern.exec(filter)?.[0];
  }

  function push(kind: FilterToken["kind"], text: string, end: number, start = at): void {
    tokens.push({ kind, text, start, end });
    at = end;
  }

  /** From inside a string on, to its end or to code in it. */
  function takeString(start: number, kind: "field" | "string", isPart: boolean): void {
    let end = at;
    while (end < filter.length && filter[end] !== '"') {
      if (filter.startsWith("\\(", end)) {
        push("mark", '"', end, start);
        push("mark", "(", end + 2);
        open.push('"');
        return;
      }
      end += filter[end] === "\\" ? 2 : 1;
    }
    const stop = Math.min(end + 1, filter.length);
    if (isPart) push("mark", '"', stop, start);
    else push(kind, textIn(filter.slice(start, stop)), stop, start);
  }

  while (at < filter.length) {
    const character = filter[at] ?? "";
    const blanks = character <= " " || character > "~" ? match(BLANKS, at) : undefined;
    if (blanks !== undefined) at += blanks.length;
    else if (character === "#") {
      const end = filter.indexOf("\n", at);
      at = end === -1 ? filter.length : end + 1;
    } else if (character === '"') {
      at += 1;
      takeString(at - 1, "string", false);
    } else if (character === "." && filter[at + 1] === '"') {
      at += 2;
      takeString(at - 2, "field", false);
    } else if (character === ")" && open.at(-1) === '"') {
      open.pop();
      push("mark", ")", at + 1);
      takeString(at, "string", true);
    } else {
      takeOther(character);
    }
  }
  return tokens;

  function takeOther(character: string): void {
    if (character === "(") open.push(")");
    else if (character === ")") open.pop();
    const field = character === "." ? match(NAME, at + 1) : undefined;
    if (field !== undefined) return push("field", field, at + 1 + field.length);
    const variable = character === "$" ? match(NAME, at + 1) : undefined;
    if (variable !== undefined) return push("variable", variable, at + 1 + variable.length);
    const word = character >= "A" && character <= "z" ? match(NAME, at) : undefined;
    if (word !== undefined) return push("word", word, at + word.length);
    const number = character >= "0" && character <= "9" ? match(NUMBER, at) : undefined;
    if (number !== undefined) return push("number", number, at + number.length);
    const longer = MARK_STARTS.has(character) && MARKS.find((one) => filter.startsWith(one, at));
    const mark = longer || character;
    push("mark", mark, at + mark.length);
  }
}

/** The value of a string in quotes; empty when it is none. */
function textIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted.startsWith(".") ? quoted.slice(1) : quoted));
  } catch {
    return "";
  }
}
