/** A pattern in the syntax of ripgrep's own engine. */
export interface RipgrepPattern {
  readonly pattern: string;
  /** Whether it is nothing but text whose bytes are looked for. */
  readonly isPlain: boolean;
}

interface TranslatedAtom {
  readonly text: string;
  /** Where the rest of the pattern begins. */
  readonly next: number;
}

interface PatternOptions {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

/** Largest product of all counted repetitions; RE2 refuses more. */
const MAX_REPETITIONS = 1000;

/** RE2's meaning of these is ASCII, that of ripgrep's engine is Unicode. */
const CLASS_ESCAPES: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: String.raw`[\x{9}\x{c}\x{d}\x{20}]`,
  S: String.raw`[^\x{9}\x{c}\x{d}\x{20}]`,
};

const QUANTIFIER = /(?:[*+?]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/y;
const QUANTIFIER_START = /[*+?{]/;
const SPECIAL = /[\\^$.|?*+()[\]{}]/;
const GROUP_START = /\((?:\?:)?(?!\?)/y;
const ASCII_PUNCTUATION = /^[!-/:-@[-`{-~]$/;

/**
 * The same pattern for ripgrep, or `undefined` when it is not certain that both engines find the same
 * lines: then ripgrep must not be asked. Holds for text that is valid UTF-8 and, unless the pattern is
 * plain, has no carriage return.
 */
export function ripgrepPattern(options: PatternOptions): RipgrepPattern | undefined {
  const { pattern, literal, ignoreCase } = options;
  if (pattern === "" || !pattern.isWellFormed() || /[\0\r\n]/.test(pattern)) return undefined;
  // Folding beyond ASCII depends on each engine's version of Unicode.
  if (ignoreCase && /[^\t -~]/.test(pattern)) return undefined;
  const isText = literal || !SPECIAL.test(pattern);
  const translated = isText ? Array.from(pattern, escapeCharacter).join("") : translate(pattern);
  if (translated === undefined) return undefined;
  return { pattern: translated, isPlain: isText && !ignoreCase };
}

function translate(pattern: string): string | undefined {
  const parts: string[] = [];
  let depth = 0;
  let repetitions = 1;
  let isRepeatable = false;
  for (let at = 0; at < pattern.length;) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if (QUANTIFIER_START.test(character)) {
      const quantifier = isRepeatable ? quantifierAt(pattern, at) : undefined;
      if (quantifier === undefined) return undefined;
      repetitions *= quantifier.most;
      if (repetitions > MAX_REPETITIONS) return undefined;
      parts.push(quantifier.text);
      at += quantifier.text.length;
      isRepeatable = false;
      continue;
    }
    const atom = atomAt(pattern, at, character);
    if (atom === undefined) return undefined;
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return undefined;
    parts.push(atom.text);
    isRepeatable = !/^[(|^$]$/.test(character) && !pattern.startsWith(String.raw`\b`, at);
    at = atom.next;
  }
  return depth === 0 ? parts.join("") : undefined;
}

function atomAt(pattern: string, at: number, character: string): TranslatedAtom | undefined {
  const next = at + character.length;
  switch (character) {
    case "(":
      GROUP_START.lastIndex = at;
      return GROUP_START.test(pattern) ? { text: "(?:", next: GROUP_START.lastIndex } : undefined;
    case ")":
    case "|":
    case "^":
    case "$":
    case ".":
      return { text: character, next };
    case "[":
      return classAt(pattern, at);
    case "\\":
      return escapeAt(pattern, at);
    default:
      return { text: escapeCharacter(character), next };
  }
}

function escapeAt(pattern: string, at: number): TranslatedAtom | undefined {
  const escaped = pattern[at + 1] ?? "";
  const next = at + 2;
  if (escaped === "b") return { text: String.raw`(?-u:\b)`, next };
  const text = CLASS_ESCAPES[escaped] ?? plainEscape(escaped);
  return text === undefined ? undefined : { text, next };
}

function plainEscape(escaped: string): string | undefined {
  if (escaped === "t") return escapeCharacter("\t");
  return ASCII_PUNCTUATION.test(escaped) ? escapeCharacter(escaped) : undefined;
}

/** A bracket expression of characters, ranges and the escapes above; anything else is not certain. */
function classAt(pattern: string, start: number): TranslatedAtom | undefined {
  const isNegated = pattern[start + 1] === "^";
  let at = start + (isNegated ? 2 : 1);
  const parts: string[] = [];
  while (pattern[at] !== "]") {
    const group = /^\\([dws])/.exec(pattern.slice(at, at + 2))?.[1];
    if (group !== undefined) {
      parts.push((CLASS_ESCAPES[group] ?? "").slice(1, -1));
      at += 2;
      if (pattern[at] === "-" && pattern[at + 1] !== "]") return undefined;
      continue;
    }
    const from = classCharacterAt(pattern, at);
    if (from === undefined) return undefined;
    at = from.next;
    if (pattern[at] !== "-" || pattern[at + 1] === "]") {
      parts.push(escapeCharacter(from.text));
      continue;
    }
    const to = classCharacterAt(pattern, at + 1);
    if (to === undefined || (to.text.codePointAt(0) ?? 0) < (from.text.codePointAt(0) ?? 0)) {
      return undefined;
    }
    parts.push(`${escapeCharacter(from.text)}-${escapeCharacter(to.text)}`);
    at = to.next;
  }
  if (parts.length === 0) return undefined;
  return { text: `[${isNegated ? "^" : ""}${parts.join("")}]`, next: at + 1 };
}

/** One character of a bracket expression; `text` is the character itself. */
function classCharacterAt(pattern: string, at: number): TranslatedAtom | undefined {
  const code = pattern.codePointAt(at);
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(code);
  // A bracket inside may begin a named class.
  if (character === "[") return undefined;
  if (character !== "\\") return { text: character, next: at + character.length };
  const escaped = pattern[at + 1] ?? "";
  if (escaped === "t") return { text: "\t", next: at + 2 };
  return ASCII_PUNCTUATION.test(escaped) ? { text: escaped, next: at + 2 } : undefined;
}

function quantifierAt(
  pattern: string,
  at: number,
): { readonly text: string; readonly most: number } | undefined {
  QUANTIFIER.lastIndex = at;
  const match = QUANTIFIER.exec(pattern);
  if (match === null) return undefined;
  const [text, least = "1", comma, most] = match;
  const largest = Math.max(1, Number(least), Number(comma === undefined ? 1 : (most ?? 1)));
  if (most !== undefined && Number(most) < Number(least)) return undefined;
  return { text, most: largest };
}

function escapeCharacter(character: string): string {
  return /^[0-9A-Za-z]$/.test(character)
    ? character
    : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
