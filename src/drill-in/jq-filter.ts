/** What the text of a jq filter shows before jq has seen it. */
export interface ScannedFilter {
  /** What is wrong with the brackets, or `undefined` when every one is closed in order. */
  readonly fault: string | undefined;
  /** Whether the filter calls `inputs`, which only makes sense when jq reads nothing by itself. */
  readonly usesInputs: boolean;
}

const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * Reads a filter's brackets, strings and comments. Code inside `\( )` of a string counts as code;
 * `.inputs`, `$inputs`, `{inputs: 1}` and text in strings are not calls of `inputs`.
 */
export function scanFilter(filter: string): ScannedFilter {
  // Open brackets by the text that closes them; `"` stands for a string that code interrupts.
  const open: string[] = [];
  let usesInputs = false;
  let at = 0;
  const fault = (what: string): ScannedFilter => ({ fault: what, usesInputs });
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
        return fault(`"${character}" at character ${at + 1} closes nothing`);
      at += 1;
    } else {
      IDENTIFIER.lastIndex = at;
      const word = IDENTIFIER.exec(filter)?.[0];
      if (word === "inputs" && isCall(filter, at, word.length)) usesInputs = true;
      at += word?.length ?? 1;
    }
  }
  const missing = open.at(-1);
  return missing === undefined
    ? { fault: undefined, usesInputs }
    : fault(`${missing === '"' ? "a string" : `a bracket`} is not closed: ${missing} is missing`);
}

/**
 * The program that runs: the filter in brackets of its own, where `import` and `include` are syntax
 * errors and a leading dash is no option. The line end closes a last comment.
 *
 * @param documents - Variables, without `$`, that hold an array of one value and shall be that value.
 */
export function wrapFilter(filter: string, documents: readonly string[] = []): string {
  return `${documents.map((name) => `$${name}[0] as $${name} | `).join("")}(${filter}\n)`;
}

function isCall(filter: string, at: number, length: number): boolean {
  const before = filter.slice(0, at).trimEnd();
  const after = filter.slice(at + length).trimStart();
  const isField = before.endsWith(".") && !before.endsWith("..");
  return !isField && !before.endsWith("$") && !before.endsWith("::") && !after.startsWith(":");
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
