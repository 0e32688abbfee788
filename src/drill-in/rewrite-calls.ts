/** Answers state a next call as the tool's name and its arguments, on one of their outer lines. */
const OUTER_LINES = 3;

/** A call as answers state it. */
export interface StatedCall {
  /** The tool's name. */
  readonly name: string;
  /** The first argument: by it a call on the artifact itself is told from text that looks like one. */
  readonly first: Readonly<Record<string, string>>;
}

/**
 * An answer of a drill-in with its calls of one tool as `print` writes them. Only those on the first or last
 * three lines are rewritten: what lies between is data.
 */
export function rewriteCalls(
  text: string,
  { name, first }: StatedCall,
  print: (args: Readonly<Record<string, unknown>>) => string,
): string {
  const start = `${name} ${JSON.stringify(first).slice(0, -1)}`;
  const lines = text.split("\n");
  return lines
    .map((line, index) => {
      const isOuter = index < OUTER_LINES || index >= lines.length - OUTER_LINES;
      return isOuter ? rewriteCall(line, { start, name }, print) : line;
    })
    .join("\n");
}

function rewriteCall(
  line: string,
  { start, name }: { readonly start: string; readonly name: string },
  print: (args: Readonly<Record<string, unknown>>) => string,
): string {
  const at = line.indexOf(start);
  if (at === -1) return line;
  // The call ends its sentence, so the last brace of the line is its own.
  const to = line.lastIndexOf("}") + 1;
  try {
    const args: Record<string, unknown> = JSON.parse(line.slice(at + name.length + 1, to));
    return line.slice(0, at) + print(args) + line.slice(to);
  } catch {
    return line;
  }
}
