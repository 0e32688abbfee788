import { Readable } from "node:stream";

import { CORPORA } from "../../eval/corpus.js";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { cut, memories, outputsOf, pieces, records, words } from "../../test/corpus/data.js";
import { HOSTILE_VALUES } from "../../test/hostile-values.js";
import { realOutputs } from "../real-outputs/real-outputs.js";
import { type Output, type Preset, PRESETS, type Settings } from "./adapter.js";

/** Outputs that go through both versions, one after another. */
export interface Scenario {
  /** Its corpus, what it is and its preset; no other has it. */
  readonly name: string;
  readonly settings: Omit<Settings, "nowMs" | "directory">;
  readonly isInFiles?: boolean;
  /** What tools are asked about what is stored: engines cost most of the time. Default: to be read. */
  readonly asked?: Asked;
  /** Values, or outputs of which only what matters is given. */
  readonly outputs: () => readonly Output[];
}

export type Asked = "nothing" | "to be read" | "all but SQL" | "all";

/** Sets of inputs, by the names that `--corpus` takes. */
export const CORPUS_NAMES = ["pinned", "eval", "real", "hostile", "streams"] as const;
export type CorpusName = (typeof CORPUS_NAMES)[number];

/** All that both versions are given, corpus by corpus. */
export async function scenariosOf(corpus: CorpusName): Promise<readonly Scenario[]> {
  const make = { pinned, eval: evaluation, real, hostile, streams }[corpus];
  return (await make()).map((one) => ({ ...one, name: `${corpus}: ${one.name}` }));
}

function row(name: string, preset: Preset, value: () => unknown, more: Output = {}): Scenario {
  return {
    name: `${name}, ${preset}`,
    settings: { preset },
    outputs: () => [{ value: value(), ...more }],
  };
}

/** Every preset in turn; `none` and `lro` are alike in most, so one of them is enough. */
const turns = (index: number): readonly Preset[] => [
  "lro",
  (["atlatl", "mcpagent", "vectara", "metaCc"] as const)[index % 4] ?? "none",
];

const askedOf = (preset: Preset): Asked => (preset === "lro" ? "all" : "to be read");

const parsed = (text: string | undefined): unknown => JSON.parse(text ?? "null");
const block = (value: unknown): unknown => ({ type: "text", text: value });
const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=".repeat(900) };

/** Values of each kind that a tool returns, and what is awkward about text, numbers and keys. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  ...Object.fromEntries(Object.entries(outputsOf(130)).map(([name, text]) => [name, () => text])),
  ...Object.fromEntries(
    Object.entries(outputsOf(500)).map(([name, text]) => [`${name}, long`, () => text]),
  ),
  "records as values": () => records(200),
  "a nested value": () => parsed(outputsOf(130)["nested records"]),
  "text blocks": () => [block(outputsOf(90)["a JSON array"]), block("and a word")],
  "a block of each kind": () => [block(outputsOf(90)["a log"]), picture],
  memories: () => JSON.stringify(memories),
  document: () =>
    JSON.stringify({ rates: { EUR: 1.5 }, days: ["Monday"], note: "x".repeat(9_000) }),
  "several sets": () => JSON.stringify({ orders: records(90), refunds: records(60), page: 1 }),
  "a map": () => JSON.stringify(Object.fromEntries(records(150).map((one) => [one["name"], one]))),
  "awkward records": () =>
    `[${Array.from({ length: 200 }, (_, n) => `{"n":1234567890123456789${n},"e":1e400,"a":1,"a":2,"":"empty","__proto__":{"x":1},"t":"\\ud800 \\u0000 日本"}`).join(",")}]`,
  "one line": () => "日本語😀é\r ".repeat(3_000),
  "byte order mark": () => `\ufeff${outputsOf(130)["a CSV"]}`,
  "a CSV with cells that break": () =>
    `a;b\r\n${Array.from({ length: 900 }, (_, n) => `${n};"two\r\nlines ""${n}"""\r\n`).join("")}`,
  bytes: () =>
    Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 7919 + (at >> 8)) & 0xff)),
  "a diff": () =>
    Array.from(
      { length: 150 },
      (_, n) =>
        `diff --git a/f${n} b/f${n}\n--- a/f${n}\n+++ b/f${n}\n@@ -1,2 +1,2 @@\n-old\n+new ${n}\n`,
    ).join(""),
  "a small text": () => "a few words",
  "a small list": () => [{ id: 1 }],
  nothing: () => "",
};

/** Options of which each changes what comes out. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "as it came": { fileFormat: "original" },
  "cut in place": { mode: "truncate", threshold: { tokens: 200 } },
  "a low threshold": { threshold: { tokens: 50 } },
  "without any tool": { drillIn: false },
  "in the form full": { describe: { form: "full" } },
  "in the form bare": { describe: { form: "bare" } },
  "a short descriptor": { describe: { maxTokens: 120 } },
  "counted by characters": { tokenizer: "characters" },
};

const ASKED: Partial<Record<Preset, Asked>> = { lro: "all", mcpagent: "all but SQL" };

function pinned(): Scenario[] {
  const kinds = Object.entries(VALUES);
  const window = { conversation: { tokens: 2_000, contextWindowTokens: 8_000 } };
  const few = kinds.filter(([name]) => name in outputsOf(1));
  const named = { toolName: "recall_memories", args: { query: "cache" } };
  return [
    ...PRESETS.flatMap((preset) =>
      kinds.map(([name, value]) => ({
        ...row(name, preset, value, preset === "vectara" ? window : {}),
        asked: ASKED[preset] ?? "to be read",
      })),
    ),
    row("memories recalled", "atlatl", () => JSON.stringify(memories), named),
    row("memories recalled", "lro", () => JSON.stringify(memories), named),
    ...Object.entries(OPTIONS).flatMap(([option, options]) =>
      few.map(([name, value]) => ({
        ...row(`${name}, ${option}`, "lro", value),
        settings: { preset: "lro" as const, options },
      })),
    ),
    ...few.flatMap(([name, value]) => [
      { ...row(`${name}, in files`, "lro", value), isInFiles: true },
      { ...row(`${name}, in files`, "mcpagent", value), isInFiles: true },
      {
        ...row(`${name}, a store that fails`, "none", value),
        settings: { preset: "none" as const, isFailing: true },
      },
    ]),
    {
      name: "outputs of one session",
      settings: { preset: "lro" },
      outputs: () => few.map(([toolName, value]) => ({ toolName, value: value() })),
    },
  ];
}

function evaluation(): Scenario[] {
  const outputs = new Map(
    PRACTICE.flatMap(({ outputs }) => outputs.map((one) => [one.tool, one] as const)),
  );
  const sets = Object.values(CORPORA).flatMap(({ tool, records }) =>
    [50, 200, 500].map((count) => ({
      name: `${count} of ${tool}`,
      toolName: tool,
      load: () => JSON.stringify(records(count, 42)),
    })),
  );
  const tasks = [...outputs.values()].map(({ tool, load }) => ({
    name: tool,
    toolName: tool,
    load,
  }));
  return [...sets, ...tasks].flatMap(({ name, toolName, load }, index) =>
    turns(index).map((preset) => ({
      ...row(name, preset, load, { toolName }),
      asked: askedOf(preset),
    })),
  );
}

async function real(): Promise<Scenario[]> {
  const outputs = await realOutputs();
  return outputs.flatMap(({ name, load }, index): Scenario[] =>
    turns(index).map((preset) => ({
      ...row(name, preset, load),
      asked: index % 3 === 0 ? askedOf(preset) : "to be read",
    })),
  );
}

function hostile(): Scenario[] {
  return HOSTILE_VALUES.flatMap(([name, make]) =>
    (["none", "vectara"] as const).map((preset) => ({
      name: `${name}, ${preset}`,
      settings: { preset, options: { threshold: { tokens: 100 } } },
      asked: "nothing",
      outputs: () =>
        [make(), [make()], { large: words(200), value: make() }, [words(200), make()]]
          .map((value): Output => ({ value }))
          .concat({ value: "x", artifact: make() }, { value: words(200), args: { a: make() } }),
    })),
  );
}

/** As web streams, Node streams and iterables; of text in odd pieces, of bytes and of records. */
function streams(): Scenario[] {
  const texts = outputsOf(120);
  const large = 9_000;
  const long = (id: number): object => ({ id, note: "as long as the others, ".repeat(20) });
  const line = (id: number): string => `line ${id} of a log that is as long as the others are\n`;
  const make: Readonly<Record<string, () => unknown>> = {
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => [
        [`${name}, in pieces`, () => cut(text)],
        [`${name}, a Node stream`, () => Readable.from([Buffer.from(text)])],
        [`${name}, a web stream`, () => new Blob([text]).stream()],
      ]),
    ),
    records: () => pieces(300, (id) => ({ id, name: `record ${id}` })),
    "few records": () => pieces(3, (id) => ({ id })),
    "nothing at all": () => Readable.from([]),
    "more records than are held": () => pieces(large, long),
    "more lines than are held": () => pieces(large * 10, line),
    "a source that throws": () =>
      pieces(400, (id) => {
        if (id === 300) throw new Error("the source went away");
        return { id, note: "a note that is somewhat longer" };
      }),
    "bytes that are no text": () =>
      pieces(90, (part) => Buffer.from(Array.from({ length: 100 }, (_, at) => (at * part) & 0xff))),
  };
  return Object.entries(make).flatMap(([name, value], index) =>
    turns(index).map((preset) => row(name, preset, value)),
  );
}
