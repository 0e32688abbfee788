const PREFIX = /^[a-z]\//;
const QUOTED = /^"((?:[^"\\]|\\.){0,300})/;
const ESCAPE = /((?:\\[0-7]{3})+)|\\(.)/g;
const ESCAPED: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r" };

/** The name after `diff --git`, which stands there twice; of two names the second one. */
export function gitName(names: string): string {
  const half = (names.length - 1) / 2;
  const [one, other] = [names.slice(0, half), names.slice(half + 1)];
  if (names[half] === " " && bare(one) === bare(other)) return bare(one);
  const second = names.search(/ "?b\//);
  return bare(second === -1 ? names : names.slice(second + 1));
}

/** The name after `---` or `+++`, without the time that may follow. */
export function sideName(text: string): string {
  return bare(text.split("\t", 1)[0] ?? "");
}

/** A name without quotes, escapes and the letter of its side. */
function bare(name: string): string {
  return nameOf(name).replace(PREFIX, "");
}

/** A name as it is, which git quotes when it has bytes that are not ASCII. */
export function nameOf(text: string): string {
  const quoted = QUOTED.exec(text)?.[1];
  if (quoted === undefined) return text;
  if (!quoted.includes("\\")) return quoted;
  return quoted.replaceAll(ESCAPE, (_, octal: string | undefined, mark: string) =>
    octal === undefined ? (ESCAPED[mark] ?? mark) : ofBytes(octal),
  );
}

function ofBytes(octal: string): string {
  const bytes = octal.slice(1).split("\\");
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 8))).toString("utf8");
}
