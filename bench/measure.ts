import { Tiktoken } from "js-tiktoken/lite";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { createMeasure } from "../src/core/measure/measure.js";
import type { readPrebuilt } from "../src/core/measure/encoding/prebuilt.js";
import { atMost, type BenchRow, BUILT, median, row, timeOf } from "./harness.js";

const LIMIT_TOKENS = 1_600;
const GOAL_MS = 5;

interface Case {
  readonly name: string;
  readonly text: () => string;
  /** Why js-tiktoken's `encode` is not run; absent when it is. */
  readonly notRun?: string;
}

/** The decision at 1,600 tokens, with its total, against encoding the whole text with js-tiktoken. */
export async function benchMeasure(): Promise<BenchRow[]> {
  // As in the package, which has the index of the table.
  const loadMs = await timeOf(async () => {
    const built = `${BUILT}core/measure/encoding/prebuilt.js`;
    const module: { readPrebuilt: typeof readPrebuilt } = await import(built);
    module.readPrebuilt();
  });
  await createMeasure().count("x");
  let reference: Tiktoken | undefined;
  const referenceLoadMs = await timeOf(() => {
    reference = new Tiktoken(o200kBase);
  });
  const rows: BenchRow[] = [
    row({
      group: "measure",
      name: "load the tokenizer, once a process",
      ours: formatMs(loadMs),
      other: `${formatMs(referenceLoadMs)} (js-tiktoken, module already read)`,
      ratio: formatRatio(referenceLoadMs, loadMs),
    }),
  ];
  for (const { name, text: makeText, notRun } of CASES) {
    const text = makeText();
    const oursMs = await medianMs(() => createMeasure().measure(text, LIMIT_TOKENS));
    const otherMs =
      notRun === undefined ? await medianMs(() => reference?.encode(text, [], [])) : undefined;
    rows.push({
      group: "measure",
      name: `decide at ${LIMIT_TOKENS} tokens: ${name}`,
      ours: formatMs(oursMs),
      other:
        otherMs === undefined ? `not run: ${notRun}` : `${formatMs(otherMs)} (js-tiktoken encode)`,
      ratio: otherMs === undefined ? "-" : formatRatio(otherMs, oursMs),
      ...atMost(oursMs, GOAL_MS, "ms"),
    });
  }
  return rows;
}

const TOO_LARGE = "more than 1 MB";
const QUADRATIC = "quadratic";

const CASES: readonly Case[] = [
  { name: "100 B of JSON", text: () => json(100) },
  { name: "10 KB of JSON", text: () => json(1e4) },
  { name: "1 MB of JSON", text: () => json(1e6) },
  { name: "100 MB of JSON", text: () => json(1e8), notRun: TOO_LARGE },
  { name: "10 KB of logs", text: () => logs(1e4) },
  { name: "1 MB of logs", text: () => logs(1e6) },
  { name: "100 MB of logs", text: () => logs(1e8), notRun: TOO_LARGE },
  { name: "10 KB of Chinese", text: () => chinese(3_333) },
  { name: "1 MB of Chinese", text: () => chinese(333_333) },
  {
    name: "100 MB of Chinese",
    text: () => chinese(33_333_333),
    notRun: TOO_LARGE,
  },
  { name: "10 KB of base64", text: () => base64(1e4) },
  { name: "1 MB of base64", text: () => base64(1e6) },
  { name: "100 MB of base64", text: () => base64(1e8), notRun: TOO_LARGE },
  { name: "1 KB of one letter", text: () => "a".repeat(1_024) },
  { name: "2 KB of one letter", text: () => "a".repeat(2_048) },
  ...[
    ["one letter", "a"],
    ["spaces", " "],
    ["dashes", "-"],
    ["newlines", "\n"],
    ["emoji", "😀"],
  ].flatMap(([kind, unit = ""]) =>
    [200_000, 1e8].map((characters) => ({
      name: `${characters / 1e6} million characters of ${kind}`,
      text: () => unit.repeat(characters / unit.length),
      notRun: QUADRATIC,
    })),
  ),
  {
    name: "16,384 Han characters, no punctuation",
    text: () => han(16_384),
    notRun: QUADRATIC,
  },
  {
    name: "1 million Han characters, no punctuation",
    text: () => han(1e6),
    notRun: QUADRATIC,
  },
  {
    name: "32,768 random letters",
    text: () => letters(32_768),
    notRun: QUADRATIC,
  },
];

/** Repeats varied text to a length; the string is flat, as one that came over a wire. */
function fill(characters: number, itemAt: (index: number) => string, between: string = ""): string {
  const block = Array.from({ length: 2_000 }, (_, index) => itemAt(index) + between).join("");
  const text = block.repeat(Math.ceil(characters / block.length)).slice(0, characters);
  return Buffer.from(text).toString();
}

function json(characters: number): string {
  const record = (id: number): string =>
    JSON.stringify({
      id: id * 7_919,
      title: `Cache the preference of user ${id}`,
      tags: ["alpha", `beta-${id % 9}`],
      score: Math.sin(id),
      created_at: new Date(1.7e12 + id * 1e6).toISOString(),
    });
  return fill(characters, record, ",");
}

function logs(characters: number): string {
  return fill(characters, (line) => {
    const time = new Date(1.7e12 + line * 137).toISOString();
    return `${time} INFO [http-${line % 16}] GET /v1/items/${line * 31} took ${line % 977} ms\n`;
  });
}

const WORDS =
  "我们 用户 数据 系统 可以 使用 文件 存储 模型 工具 结果 需要 进行 一个 的 了 在 是 和 查询 记录 时间 不同 问题 方法".split(
    " ",
  );

function chinese(characters: number): string {
  return fill(characters, (sentence) => {
    const picked = randomNumbers(3 + (sentence % 5), sentence).map((n) => WORDS[n % WORDS.length]);
    return `${picked.join("")}${sentence % 3 === 0 ? "。\n" : "，"}`;
  });
}

function han(characters: number): string {
  return fill(characters, (row) =>
    String.fromCharCode(
      ...Array.from({ length: 10 }, (_, at) => 0x4e00 + (((row * 10 + at) * 7_919) % 20_000)),
    ),
  );
}

function base64(characters: number): string {
  const block = Buffer.from(Uint8Array.from(randomNumbers(60_000))).toString("base64");
  return fill(characters, (index) => block.slice(index * 40, index * 40 + 40));
}

function letters(characters: number): string {
  const codes = randomNumbers(characters).map((value) => String.fromCharCode(97 + (value % 26)));
  return codes.join("");
}

/** The same numbers from 0 to 65,535 in every run. */
function randomNumbers(count: number, seed: number = 7): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
}

/** Of seven runs, or of as many as fit into a second, behind three that V8 compiles in. */
async function medianMs(run: () => unknown): Promise<number> {
  for (let runs = 0, totalMs = 0; runs < 3 && totalMs < 100; runs++) totalMs += await timeOf(run);
  const times: number[] = [];
  for (let totalMs = 0; times.length < 7 && totalMs < 1_000; totalMs += times.at(-1) ?? 0) {
    times.push(await timeOf(run));
  }
  return median(times);
}

function formatMs(durationMs: number): string {
  return `${durationMs < 1 ? durationMs.toFixed(3) : durationMs.toFixed(1)} ms`;
}

function formatRatio(otherMs: number, oursMs: number): string {
  const ratio = otherMs / oursMs;
  return `${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)}x`;
}
