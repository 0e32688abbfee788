/** What the text of a jq filter shows before jq has seen it. */
export interface ScannedFilter {
  /** What is wrong with the brackets, or `undefined` when every one is closed in order. */
  readonly fault: string | undefined;
  /** Whether the filter calls `inputs`, which only makes sense when jq reads nothing by itself. */
  readonly usesInputs: boolean;
  /** Whether it calls anything that tells of other inputs than its own. */
  readonly seesOthers: boolean;
}

const OTHER_INPUTS: ReadonlySet<string> = new Set(["input", "inputs", "input_line_number"]);
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Of the last filter: one call asks for it several times. */
let last: { readonly filter: string; readonly scanned: ScannedFilter } | undefined;

/**
 * Reads a filter's brackets, strings, comments and names, each character once. Code inside `\( )` of a string
 * counts as code; `.inputs`, `$inputs`, `{inputs: 1}` and text in strings are not calls of `inputs`.
 */
export function scanFilter(filter: string): ScannedFilter {
  if (last?.filter !== filter) last = { filter, scanned: scan(filter) };
  return last.scanned;
}

function scan(filter: string): ScannedFilter {
  // Open brackets by the text that closes them; `"` stands for a string that code interrupts.
  const open: string[] = [];
  let usesInputs = false;
  let seesOthers = false;
  let at = 0;
  const result = (fault?: string): ScannedFilter => ({
    fault,
    usesInputs,
    seesOthers,
  });
  while (at < filter.length) {
    const character = filter[at] ?? "";
    if (open.at(-1) === '"') {
      if (character === "\\" && filter[at + 1] === "(") open.push(")");
      else if (character === '"') open.pop();
      at += character === "\\" ? 2 : 1;
    } else if (character === "#") {
      at = commentEnd(filter, at);
    } else if (character === '"') {
      open.push('"');
      at += 1;
    } else if (CLOSERS[character] !== undefined) {
      open.push(CLOSERS[character]);
      at += 1;
    } else if (character === ")" || character === "]" || character === "}") {
      if (open.pop() !== character)
        return result(`"${character}" at character ${at + 1} closes nothing`);
      at += 1;
    } else if (isWordCharacter(character)) {
      const end = wordEnd(filter, at);
      const word = filter.slice(at, end);
      if (OTHER_INPUTS.has(word) && isCall(filter, at, end, open.at(-1) === "}")) {
        seesOthers = true;
        if (word === "inputs") usesInputs = true;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  const missing = open.at(-1);
  return missing === undefined
    ? result()
    : result(`${missing === '"' ? "a string" : `a bracket`} is not closed: ${missing} is missing`);
}

/** The input has no name, modules are looked for nowhere, and the end of the input is told in jq's words of old. */
const OWN_DEFINITIONS =
  "def input_filename: null; def get_search_list: []; def _input: input; " +
  'def input: try _input catch (if . == "break" then "No more inputs" else . end | error);';

/**
 * The program that runs: the filter in brackets of its own, where `import` and `include` are syntax
 * errors and a leading dash is no option. A line end closes a last comment, and a second one that whose last character is a
 * backslash.
 *
 * @param documents - Variables, without `$`, that hold an array of one value and shall be that value.
 */
export function wrapFilter(filter: string, documents: readonly string[] = []): string {
  return `${documents.map((name) => `$${name}[0] as $${name} | `).join("")}(${OWN_DEFINITIONS} ${filter}\n\n)`;
}

function isWordCharacter(character: string): boolean {
  return (
    (character >= "a" && character <= "z") ||
    (character >= "A" && character <= "Z") ||
    (character >= "0" && character <= "9") ||
    character === "_"
  );
}

function wordEnd(filter: string, start: number): number {
  let end = start + 1;
  while (isWordCharacter(filter[end] ?? "")) end += 1;
  return end;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}

function pastBlanks(filter: string, start: number): number {
  let at = start;
  while (isBlank(filter[at])) at += 1;
  return at;
}

function isCall(filter: string, start: number, end: number, inObject: boolean): boolean {
  let before = start - 1;
  while (isBlank(filter[before])) before -= 1;
  const previous = filter[before];
  const isField = previous === "." && filter[before - 1] !== ".";
  const isQualified = previous === ":" && filter[before - 1] === ":";
  const isKey = inObject && filter[pastBlanks(filter, end)] === ":";
  return !isField && previous !== "$" && !isQualified && !isKey;
}

/** A backslash at the end of a comment's line takes the next line into the comment. */
function commentEnd(filter: string, start: number): number {
  let at = start;
  while (at < filter.length && filter[at] !== "\n") {
    if (filter[at] !== "\\") at += 1;
    else at += filter.startsWith("\r\n", at + 1) ? 3 : 2;
  }
  return at;
}
