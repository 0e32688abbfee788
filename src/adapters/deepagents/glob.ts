/** Longest pattern that is looked at, in UTF-16 code units, and most that its braces may stand for. */
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_ALTERNATIVES = 64;
/** Longest sum of all patterns that one with braces stands for. */
const MAX_SUM_CHARACTERS = 300;

/** One step of a pattern: characters that it takes, once or any number of times. */
interface Step {
  readonly takes: (character: string) => boolean;
  readonly repeats: boolean;
}

/**
 * Whether a path matches a glob as deep agents' own file systems understand it: `*` and `?` within a folder, `**` over
 * folders, `[a-z]`, `[!a-z]`, `{one,other}`, a `\` before a character that stands for itself, and `!` before a whole pattern.
 * A pattern that is too long, stands for too much or is not well formed matches nothing.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return () => false;
  const isNegated = pattern.startsWith("!");
  const glob = isNegated ? pattern.slice(1) : pattern;
  try {
    const alternatives = alternativesOf(glob.startsWith("/") ? glob.slice(1) : glob);
    if (alternatives.join("").length > MAX_SUM_CHARACTERS) return () => false;
    const rules = alternatives.map(stepsOf);
    return (path) => rules.some((steps) => matches(path, steps)) !== isNegated;
  } catch {
    return () => false;
  }
}

/** All steps that may be next are kept, so nothing is tried twice. */
function matches(path: string, steps: readonly Step[]): boolean {
  let at = new Uint8Array(steps.length + 1);
  at[0] = 1;
  for (const character of path) {
    const next = new Uint8Array(steps.length + 1);
    for (const [index, { takes, repeats }] of steps.entries()) {
      if (at[index] === 0) continue;
      // A step that repeats may be left out.
      if (repeats) at[index + 1] = 1;
      if (takes(character)) next[repeats ? index : index + 1] = 1;
    }
    at = next;
  }
  for (const [index, { repeats }] of steps.entries()) if (at[index] && repeats) at[index + 1] = 1;
  return at[steps.length] === 1;
}

const isInFolder = (character: string): boolean => character !== "/";

function stepsOf(glob: string): Step[] {
  const steps: Step[] = [];
  const characters = Array.from(glob);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === "*") {
      const isDeep = characters[at + 1] === "*";
      steps.push({ takes: isDeep ? () => true : isInFolder, repeats: true });
      // `**/` also stands for no folder at all.
      at += isDeep ? (characters[at + 2] === "/" ? 2 : 1) : 0;
    } else if (character === "?") {
      steps.push({ takes: isInFolder, repeats: false });
    } else if (character === "[") {
      const end = characters.indexOf("]", at + 2);
      if (end === -1) throw new SyntaxError("An open class.");
      steps.push({ takes: classOf(characters.slice(at + 1, end)), repeats: false });
      at = end;
    } else {
      if (character === "\\") at += 1;
      const wanted = characters[at] ?? "";
      steps.push({ takes: (given) => given === wanted, repeats: false });
    }
  }
  return steps;
}

function classOf(members: readonly string[]): (character: string) => boolean {
  const isOther = members[0] === "!" || members[0] === "^";
  const own = isOther ? members.slice(1) : members;
  const ranges = own.map((from, index) =>
    own[index + 1] === "-" && own[index + 2] !== undefined ? [from, own[index + 2] ?? ""] : [from],
  );
  return (character) =>
    ranges.some(([from = "", to = from]) => from <= character && character <= to) !== isOther &&
    isInFolder(character);
}

/** The patterns without braces that one with braces stands for. */
function alternativesOf(glob: string): string[] {
  const start = openBrace(glob);
  if (start === -1) return [glob];
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) {
      parts.push(glob.slice(from, at));
      from = at + 1;
    } else if (character === "}") {
      depth -= 1;
      if (depth > 0) continue;
      parts.push(glob.slice(from, at));
      const whole = parts.flatMap((part) =>
        alternativesOf(glob.slice(0, start) + part + glob.slice(at + 1)),
      );
      if (whole.length > MAX_ALTERNATIVES) throw new SyntaxError("Too many alternatives.");
      return whole;
    }
  }
  throw new SyntaxError("An open brace.");
}

function openBrace(glob: string): number {
  for (let at = 0; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === "{") return at;
  }
  return -1;
}
