interface ScannedFilter {
  readonly callsInputs: boolean;
  /** Not only behind the first input. */
  readonly usesInputs: boolean;
  readonly seesOthers: boolean;
}

interface FilterToken {
  readonly text: string;
  readonly end: number;
  readonly isInObject: boolean;
}

const OTHER_INPUTS: ReadonlySet<string> = new Set(["input", "inputs", "input_line_number"]);
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** `[., inputs]` or `[.a] + [inputs.a]`, where the first input is `.`; `$x.a, inputs` is no such. */
const FIRST_TOO =
  /(?:^|[^\w?)\]}"] )\.\w{0,99}(?: \.\w{1,99}){0,9} (?:, |\] \+ \[ )(?:\( )?inputs(?: |$)/;
const INTERPOLATION = "\\)";
const BLANK = /(?:[ \t\r\n]|#(?:[^\n\\]|\\\r\n|\\[^])*\\?)*/y;
const TOKEN = /\.[A-Za-z_][A-Za-z0-9_]*|\.\.|[$@]?[A-Za-z0-9_]+|::|\/\/|[^]/y;
const STRING_PART = /(?:[^"\\]|\\[^(])*("|\\\(|\\?$)/y;

/** Code in `\( )` of a string counts; `.inputs`, `$inputs`, `{inputs}` and plain text in strings are not calls. */
export function scanFilter(filter: string): ScannedFilter {
  const tokens = lexFilter(filter);
  const others = tokens.filter(({ text }, at) => OTHER_INPUTS.has(text) && isCall(tokens, at));
  const takesFirst = FIRST_TOO.test(tokens.map(({ text }) => text).join(" "));
  const callsInputs = others.some(({ text }) => text === "inputs");
  return { callsInputs, usesInputs: callsInputs && !takesFirst, seesOthers: others.length > 0 };
}

/** Up to a bracket or a quote that does not fit. */
export function lexFilter(filter: string): readonly FilterToken[] {
  const tokens: FilterToken[] = [];
  const open: string[] = [];
  let at = 0;
  const endOf = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(filter) ? pattern.lastIndex : at;
  };
  while (at < filter.length) {
    at = endOf(BLANK);
    if (at >= filter.length) break;
    const start = at;
    let text = filter.slice(start, endOf(TOKEN));
    const isInObject = open.at(-1) === "}";
    if (text === '"' || (text === ")" && open.at(-1) === INTERPOLATION)) {
      if (text === ")") open.pop();
      STRING_PART.lastIndex = start + 1;
      const [part = "", end] = STRING_PART.exec(filter) ?? [];
      text = filter.slice(start, start + 1 + part.length);
      if (end === "\\(") open.push(INTERPOLATION);
      else if (end !== '"') return tokens;
    } else if (Object.hasOwn(CLOSERS, text)) open.push(CLOSERS[text] ?? "");
    else if ([")", "]", "}"].includes(text) && open.pop() !== text) return tokens;
    at = start + text.length;
    tokens.push({ text, end: at, isInObject });
  }
  return tokens;
}

function isCall(tokens: readonly FilterToken[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? "";
  const isKey = tokens[at]?.isInObject && ["{", ","].includes(before);
  return ![".", "$", "::"].includes(before) && !isKey;
}

const OWN_DEFINITIONS =
  "def input_filename: null; def get_search_list: []; def _input: input; " +
  'def input: try _input catch (if . == "break" then "No more inputs" else . end | error);';

/**
 * Behind definitions, `import` and `include` are syntax errors, and a leading dash is no option. They take one line.
 *
 * @param documents - Variables that jq gives as an array of one value.
 */
export function withDefinitions(filter: string, documents: readonly string[] = []): string {
  return `${documents.map((name) => `$${name}[0] as $${name} | `).join("")}${OWN_DEFINITIONS}\n${filter}`;
}
