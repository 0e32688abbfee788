/**
 * ASCII has its own pattern, because compiling Unicode classes takes longer than counting a short text.
 *
 * @param source - Must match every character.
 */
export function pieceSplitter(source: string): (segment: string) => readonly string[] {
  const ascii = new RegExp(inAscii(source), "g");
  let unicode: RegExp | undefined;
  return (segment) => {
    const pattern = NOT_ASCII.test(segment) ? (unicode ??= new RegExp(source, "gu")) : ascii;
    return segment.match(pattern) ?? [];
  };
}

function inAscii(source: string): string {
  return source
    .replaceAll(/\[(?:\\.|[^\]\\])*\]?/g, (set) => set.replaceAll(CLASS, asciiOf))
    .replaceAll(CLASS, (name: string) => `[${asciiOf(name)}]`);
}

function asciiOf(name: string): string {
  return ASCII_OF_CLASS[name] ?? "";
}

const CLASS = /\\p\{\w{1,20}\}/g;
const ASCII_OF_CLASS: Readonly<Record<string, string>> = {
  "\\p{L}": "A-Za-z",
  "\\p{Lu}": "A-Z",
  "\\p{Ll}": "a-z",
  "\\p{N}": "0-9",
};
// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters.
const NOT_ASCII = /[^\u0000-\u007f]/;
