/** Where a token of SQL ends, and whether it says anything: blanks, comments and semicolons do not. */
interface Token {
  readonly end: number;
  readonly isSaid: boolean;
}

/**
 * The one statement of a query, without the semicolons, blanks and comments around it. Takes time in proportion to
 * the query's length.
 */
export function statementIn(query: string): string {
  let first: number | undefined;
  let last = 0;
  for (let at = 0; at < query.length;) {
    const { end, isSaid } = tokenAt(query, at);
    if (isSaid) {
      first ??= at;
      last = end;
    }
    at = end;
  }
  return query.slice(first ?? 0, last);
}

function tokenAt(query: string, at: number): Token {
  const character = query[at] ?? "";
  const next = query[at + 1];
  if (character === "-" && next === "-") return { end: endAfter(query, "\n", at), isSaid: false };
  if (character === "/" && next === "*") return { end: commentEnd(query, at), isSaid: false };
  if (character === "'" || character === '"')
    return { end: endAfter(query, character, at + 1), isSaid: true };
  if (character === "$") return { end: dollarEnd(query, at), isSaid: true };
  if (isNameCharacter(character)) return { end: nameEnd(query, at), isSaid: true };
  return { end: at + 1, isSaid: character !== ";" && character.trim() !== "" };
}

/** Behind the next `mark`, or the end. */
function endAfter(query: string, mark: string, from: number): number {
  const at = query.indexOf(mark, from);
  return at === -1 ? query.length : at + mark.length;
}

/** Comments in brackets stand in one another. */
function commentEnd(query: string, start: number): number {
  let depth = 0;
  for (let at = start; at < query.length; at += 1) {
    const two = query.slice(at, at + 2);
    if (two !== "/*" && two !== "*/") continue;
    depth += two === "/*" ? 1 : -1;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return query.length;
}

/** A text between two `$tag$`; any other `$` stands for itself. */
function dollarEnd(query: string, start: number): number {
  let at = start + 1;
  while (isNameCharacter(query[at] ?? "")) at += 1;
  if (query[at] !== "$") return start + 1;
  return endAfter(query, query.slice(start, at + 1), at + 1);
}

/** A name to its end, in which `$` begins no text; after the name `e`, a text has escapes. */
function nameEnd(query: string, start: number): number {
  let at = start;
  while (isNameCharacter(query[at] ?? "") || query[at] === "$") at += 1;
  const isEscaped = at === start + 1 && /[eE]/.test(query[start] ?? "") && query[at] === "'";
  if (!isEscaped) return at;
  for (at += 1; at < query.length; at += 1) {
    if (query[at] === "\\") at += 1;
    else if (query[at] === "'") return at + 1;
  }
  return query.length;
}

/** Letters, digits, `_` and all that is not ASCII. */
function isNameCharacter(character: string): boolean {
  return /^[A-Za-z0-9_\u0080-\uffff]/.test(character);
}
