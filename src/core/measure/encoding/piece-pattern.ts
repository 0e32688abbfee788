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
  const characters = ASCII_OF_CLASS[name];
  if (characters === undefined) throw new Error(`The pattern has the unknown class ${name}.`);
  return characters;
}

const CLASS = /\\p\{\w{1,20}\}/g;
const ASCII_OF_CLASS: Readonly<Record<string, string>> = {
  "\\p{L}": "A-Za-z",
  "\\p{Lu}": "A-Z",
  "\\p{Ll}": "a-z",
  "\\p{Lt}": "",
  "\\p{Lm}": "",
  "\\p{Lo}": "",
  "\\p{M}": "",
  "\\p{N}": "0-9",
};
// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters.
const NOT_ASCII = /[^\u0000-\u007f]/;
