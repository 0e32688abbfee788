/** Of what is compiled to find it, in UTF-16 units. */
const MAX_COMPILED_UNITS = 4_000_000;

/**
 * Whether the last statement of a script is an expression. A loop, a condition or a block has a value too, that of
 * its last turn, which nobody means. `true` where it would take long to tell.
 *
 * @param compiles - Whether a text compiles as the body of an asynchronous function. Nothing of it runs.
 */
export function endsInExpression(code: string, compiles: (body: string) => boolean): boolean {
  let left = MAX_COMPILED_UNITS;
  for (const script of withoutLastComments(code)) {
    for (let at = script.length - 1; at >= -1; at -= 1) {
      // A statement begins behind another one, a line end, or at the beginning.
      if (at >= 0 && !";}\n".includes(script.charAt(at))) continue;
      const last = script.slice(at + 1).trim();
      if (last === "") continue;
      left -= last.length;
      if (left < 0) return true;
      // A brace would open a block.
      if (last.startsWith("{") || !compiles(`(${last}\n)`)) continue;
      left -= at;
      if (compiles(script.slice(0, at + 1))) return true;
    }
  }
  return false;
}

/** The script as it is, and without what may be comments at its end: one after the other, from the last. */
function* withoutLastComments(code: string): Generator<string, void> {
  let script = withoutEnd(code);
  yield script;
  for (;;) {
    const comment = script.lastIndexOf("//");
    if (comment <= script.lastIndexOf("\n")) return;
    script = withoutEnd(script.slice(0, comment));
    yield script;
  }
}

/** Without the semicolons and the white space at its end. */
function withoutEnd(script: string): string {
  let end = script.length;
  while (end > 0 && (script[end - 1] === ";" || script.charAt(end - 1).trim() === "")) end -= 1;
  return script.slice(0, end);
}
