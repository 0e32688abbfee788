/** Whether a whole file name matches a pattern with `*` for any characters and `?` for one. */
export function matchesWildcard(name: string, pattern: string): boolean {
  let at = 0;
  let rule = 0;
  let star = -1;
  let starAt = 0;
  // Takes at most name times pattern steps: on a mismatch only the last star takes one more character.
  while (at < name.length) {
    const wanted = pattern[rule];
    if (wanted === "*") {
      star = rule;
      starAt = at;
      rule += 1;
    } else if (wanted === "?" || wanted === name[at]) {
      at += 1;
      rule += 1;
    } else if (star !== -1) {
      rule = star + 1;
      starAt += 1;
      at = starAt;
    } else return false;
  }
  while (pattern[rule] === "*") rule += 1;
  return rule === pattern.length;
}
