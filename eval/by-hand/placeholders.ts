import { createHash } from "node:crypto";

/** Stands for what a run draws anew: the ids of outputs, and the folder that they are in. */
export interface Placeholders {
  /** Numbers the ids of a text that no text before had. */
  readonly learn: (text: string) => void;
  /** The text with `<output 1>` for the id that was seen first, and `<store>` for the folder. */
  readonly mask: (text: string) => string;
  /** The text with this run's ids and folder again. */
  readonly unmask: (text: string) => string;
}

const ID = /(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])/g;
const PLACEHOLDER = /<output \d+>|<store>/g;
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FOLDER = "<store>";

/** Makes the placeholders of one conversation, whose outputs are stored in a folder. */
export function createPlaceholders(folder: string): Placeholders {
  const numbers = new Map<string, string>();
  const drawn = new Map<string, string>([[FOLDER, folder]]);
  return {
    learn(text) {
      for (const [id] of text.matchAll(ID)) {
        if (numbers.has(id)) continue;
        const name = `<output ${numbers.size + 1}>`;
        numbers.set(id, name);
        drawn.set(name, id);
      }
    },
    mask: (text) => text.replaceAll(folder, FOLDER).replaceAll(ID, (id) => numbers.get(id) ?? id),
    unmask: (text) => text.replaceAll(PLACEHOLDER, (name) => drawn.get(name) ?? name),
  };
}

/** A masked text with ids and a folder that are the same in every run, so that its tokens can be counted. */
export function withSteadyNames(masked: string): string {
  return masked.replaceAll(PLACEHOLDER, (name) => {
    const bytes = [...createHash("sha256").update(name).digest()];
    const letters = bytes.map((byte) => DIGITS.charAt(byte % 32)).join("");
    return name === FOLDER ? `/tmp/eval-${letters.slice(0, 6)}` : `01K${letters.slice(0, 23)}`;
  });
}

/** Every text within a JSON value, changed. */
export function inTexts<Value>(value: Value, change: (text: string) => string): Value {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === "string" ? change(one) : one,
  ) as Value;
}
