import * as fc from "fast-check";

/** JSON of an API's list, without white space between tokens. */
export function jsonText(characters: number): string {
  const rows: string[] = [];
  for (let id = 0, length = 0; length < characters; id++) {
    const row = JSON.stringify({
      id: id * 7919,
      title: `Don't cache the user's preference ${id}`,
      tags: ["alpha", `beta-${id % 9}`],
      score: Math.sin(id),
      created_at: new Date(1.7e12 + id * 1e6).toISOString(),
    });
    rows.push(row);
    length += row.length + 1;
  }
  return `[${rows.join(",")}]`.slice(0, characters);
}

export function logText(characters: number): string {
  let text = "";
  for (let line = 0; text.length < characters; line++) {
    const time = new Date(1.7e12 + line * 137).toISOString();
    text += `${time} WARN  [http-${line % 16}] GET /v1/items/${line * 31}?q=a%20b took ${line % 977}ms\r\n`;
    if (line % 7 === 0) text += "\tat Object.<anonymous> (/srv/app/index.js:12:7)\n\n";
  }
  return text.slice(0, characters);
}

export function chineseText(characters: number): string {
  let text = "";
  for (let index = 0; text.length < characters; index++) {
    text += String.fromCharCode(0x4e00 + ((index * 7919) % 20_000));
    if (index % 13 === 12) text += "，";
    if (index % 61 === 60) text += "。\n";
  }
  return text.slice(0, characters);
}

export function base64Text(characters: number): string {
  const letters = Buffer.from(pseudoRandomLetters(characters), "latin1");
  const bytes = Uint8Array.from(letters, (letter, index) => (letter * 31 + index * 17) & 255);
  return Buffer.from(bytes).toString("base64").slice(0, characters);
}

export function pseudoRandomLetters(characters: number): string {
  let state = 7;
  let text = "";
  while (text.length < characters) {
    state = (state * 1_103_515_245 + 12_345) >>> 0;
    text += String.fromCharCode(97 + ((state >>> 16) % 26));
  }
  return text;
}

/** Texts of which tokenizers make one huge piece. */
export const HOSTILE_UNITS: readonly string[] = JSON.parse(
  String.raw`["a"," ","-","\n","\r\n","漢","é","😀","\ud800","\u0000","=","\t "]`,
);

const FRAGMENTS: readonly string[] = JSON.parse(
  String.raw`[" ","  ","\n","\n\n","\r\n","\t","'","'s","'RE","'ll ","/","//","a","Ab","ABC","word",
    "Straße","ſ","1","12","1234","٣","Ⅷ",",","\",\"","{\"","--","…","é","e\u0301","\u0301","漢字","ー","，",
    "한국","عربي","😀","👩‍👩‍👧","\ud800","\udc00","\u00a0","\u2028","\u200b","\u0000","<|endoftext|>",
    "QUJD+/9=","𝒳","ŉ"]`,
);

/** Strings that put pieces of every class, and their awkward neighbours, beside each other. */
export function awkwardText(maxFragments: number): fc.Arbitrary<string> {
  const fragment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...FRAGMENTS) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...FRAGMENTS), fc.integer({ min: 2, max: 40 }))
        .map(([unit, times]) => unit.repeat(times)),
    },
  );
  return fc
    .array(fragment, { maxLength: maxFragments, size: "max" })
    .map((parts) => parts.join(""));
}
