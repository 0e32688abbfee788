import type { RawOutput } from "./truths/evidence.js";

function lines(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join("\n") + "\n";
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

const two = (number: number): string => String(number).padStart(2, "0");

function versions(): unknown {
  return Array.from({ length: 300 }, (_, at) => ({
    id: at,
    version: `1.${1 + (at % 3)}.${10 + (at % 20)}`,
    code: `10-${12 + (at % 9)}-${20 + (at % 7)}`,
  }));
}

function mapOfWords(): unknown {
  const members = Array.from({ length: 1_998 }, (_, at) => [
    `pkg-${at}`,
    { tier: at % 3 === 0 ? "paid" : "free", size: at, owner: { name: `n${at}` } },
  ]);
  return Object.fromEntries([...members, ["odd", "a text"], ["none", null], ["error", ["no", 1]]]);
}

/** Pages of keywords under scopes, beside other members: what is told of its map is of some of it. */
function keywordLists(): unknown {
  const lists = Array.from({ length: 1_500 }, (_, at) => [
    `word-${at}`,
    Array.from({ length: 3 + (at % 11) }, (__, n) => `k${(at * 7 + n) % 400}`),
  ]);
  return { version: 3, about: "keywords", words: Object.fromEntries(lists), end: { ok: true } };
}

function javaLog(): string {
  return lines(120, (at) =>
    [
      `java.lang.IllegalStateException: order ${at} failed`,
      "\tat shop.Orders.place(Orders.java:12)",
      "\tat shop.Main.run(Main.java:4)",
      `Caused by: java.io.IOException: node ${at % 3} gone`,
      "\tat shop.Store.write(Store.java:88)",
      "\t... 2 more",
    ].join("\n"),
  );
}

/** Newer releases are one level deeper than the old ones. */
function releases(): string {
  const newer = lines(40, (at) => `## 7.8.${40 - at}\n\n${"A change was made. ".repeat(9)}\n`);
  const older = lines(30, (at) => `# 6.${30 - at}.0\n\n${"An old change. ".repeat(9)}\n`);
  return `${newer}${older}`;
}

/** Values that a sample of 1,000 does not see: the extremes and one text. */
function longSet(): string {
  const note = "x".repeat(110);
  return json(
    Array.from({ length: 14_500 }, (_, at) => ({
      id: at,
      price: at === 7_777 ? 9_999_999 : (at * 31) % 900,
      state: at % 4_001 === 17 ? "lost" : at % 3 === 0 ? "open" : "closed",
      note,
    })),
  );
}

/** Values of other shapes than flat records of equal fields. */
const SHAPES: Readonly<Record<string, (at: number) => unknown>> = {
  "rows of a matrix": (row) => Array.from({ length: 30 }, (_, column) => (row * column) % 17),
  "names and numbers mixed": (at) => (at % 3 === 0 ? `value ${at % 11}` : at),
  "events of different kinds": (at) =>
    at % 2 === 0
      ? { kind: "click", x: at, y: at * 2 }
      : { kind: "error", message: `no ${at % 11}`, stack: ["cache", "queue"] },
  "keys that are no words": (at) => ({
    "unit price ($)": at * 1.5,
    größe: at % 2 === 0 ? "L" : 12,
    "": `w${at % 11}`,
    'a"b\\c': true,
  }),
  "trees of comments": (at) => ({
    author: `a${at % 11}`,
    assignee: at % 4 === 0 ? null : { login: `b${at % 7}` },
    replies: Array.from({ length: at % 3 }, (_, n) => ({
      author: `a${n}`,
      replies: [{ author: "a1", text: null }],
    })),
  }),
};

const PRODUCTS = Array.from({ length: 300 }, (_, at) => ({ sku: `s-${at}`, left: (at * 13) % 70 }));

/** What showed the rows of false statements, each under its row's name. */
export const ROW_OUTPUTS: readonly RawOutput[] = [
  {
    name: "S1 html with a bare <",
    text: `<html><head><title>Rules</title></head><body>\n${lines(
      30,
      (at) =>
        `<h2>Rule ${at}${at % 9 === 0 ? ": a < b" : ""}</h2>\n<p>if a < b then <a href="#r${at}">${at}</a>, else <i>c</i></p>\n<p>${"so it goes ".repeat(9)}</p>`,
    )}</body></html>\n`,
  },
  {
    name: "S2 log with NO ERROR",
    text: lines(300, (at) =>
      at % 5 === 0
        ? `2026-02-03 04:${two(at % 60)}:00 worker-${at % 4} job ${at} finished with NO ERROR in 0 ms`
        : `2026-02-03 04:${two(at % 60)}:00 worker-${at % 4} user ALERT settings saved by ${at}`,
    ),
  },
  { name: "S3 versions and codes", text: json(versions()) },
  {
    name: "S4 last page with cursors",
    text: json({
      data: PRODUCTS,
      paging: { cursors: { before: "abc", after: "QVFIUj" }, previous: "https://x.test/?b" },
    }),
  },
  {
    name: "S4 range of time",
    text: json({ start: 1_700_000_000, end: 1_700_086_400, total: 2_147_483_648, items: PRODUCTS }),
  },
  { name: "S4 invoice", text: json({ number: 17, size: 300, total: 81_000, items: PRODUCTS }) },
  { name: "S5 map with odd members", text: json(mapOfWords()) },
  { name: "S5 map of keyword lists", text: json(keywordLists()) },
  { name: "S6 Java traces", text: javaLog() },
  { name: "S7 releases under old headings", text: releases() },
  {
    name: "S8 map under metaCc",
    text: json(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, at) => [`u${at}`, { age: at % 80, city: "Rome" }]),
      ),
    ),
  },
  { name: "S9 sampled records", text: longSet() },
  ...Object.entries(SHAPES).map(([name, make]) => ({
    name,
    text: json(Array.from({ length: 400 }, (_, at) => make(at))),
  })),
];
