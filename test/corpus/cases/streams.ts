import { Readable } from "node:stream";

import { memoryStore } from "../entries.js";
import { cut, outputsOf, pieces, records, words } from "../data.js";
import type { Case } from "../pins.js";
import { walked, type WalkRow } from "../walk.js";

/** So many records, or lines, are somewhat more than the 4 MiB that are held. */
const COUNT = 9_000;
const LONG = "as long as the others, ".repeat(20);
const record = (id: number) => ({
  id,
  city: ["Rome", "Oslo"][id % 2],
  note: `visit ${id * 7919}, which was as long as the others`,
});
const long = (id: number) => ({ ...record(id), more: LONG });
const line = (id: number): string => `line ${id} of a log that is ${LONG}
`;
const many = (write: (id: number) => string) =>
  pieces(COUNT / 100, (part) =>
    Array.from({ length: 100 }, (_, at) => write(part * 100 + at)).join(""),
  );
const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
const failingAt = (count: number) =>
  pieces(count + 1, (index) => {
    if (index === count) throw new Error("the source went away");
    return count > 900 ? long(index) : record(index);
  });
const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
const small = { decide: { threshold: { tokens: 200 } } };
const cutting = { decide: { threshold: { tokens: 200 }, mode: "truncate" as const } };
const bytes = Buffer.from("naïve café\n".repeat(1_000));

const ROWS: readonly WalkRow[] = [
  {
    name: "small after all, as text",
    output: () => ({ value: pieces(3, (at) => `part ${at}, `) }),
  },
  { name: "small after all, as records", output: () => ({ value: pieces(3, record) }) },
  {
    name: "small after all, of bytes cut within characters",
    output: () => ({
      value: pieces(90, (at) => bytes.subarray(at, at + 1)),
    }),
  },
  { name: "nothing at all", output: () => ({ value: Readable.from([]) }) },
  { name: "records", options: small, output: () => ({ value: pieces(200, record) }) },
  {
    name: "a Node stream of JSON lines",
    options: small,
    output: () => ({ value: Readable.from(records(200).map((one) => `${JSON.stringify(one)}\n`)) }),
  },
  {
    name: "a web stream of a JSON array",
    options: small,
    output: () => ({ value: new Blob([JSON.stringify(records(200))]).stream() }),
  },
  ...["a CSV", "a log", "a text"].map((kind) => ({
    name: `${kind}, in pieces`,
    options: small,
    output: () => ({ value: cut(outputsOf(100)[kind] ?? "") }),
  })),
  {
    name: "bytes that are no text",
    options: small,
    output: () => ({
      value: pieces(40, (part) =>
        Buffer.from(Array.from({ length: 100 }, (_, at) => (at * 7919 + part * 31) & 0xff)),
      ),
    }),
  },
  { name: "longer than is held: records", output: () => ({ value: pieces(COUNT, long) }) },
  {
    name: "longer than is held: JSON lines",
    output: () => ({ value: many((id) => `${JSON.stringify(long(id))}\n`) }),
  },
  {
    name: "longer than is held: one JSON array",
    output: () => ({
      value: cut(JSON.stringify(Array.from({ length: COUNT }, (_, id) => long(id)))),
    }),
  },
  {
    name: "longer than is held: a JSON array that is not over",
    output: () => ({ value: many((id) => `${id === 0 ? "[" : ","}${JSON.stringify(long(id))}`) }),
  },
  {
    name: "longer than is held: a table",
    output: () => ({
      value: many((id) =>
        id === 0 ? "id,city,note\n" : `${id},Oslo,"a note, ${LONG} of ${id}"\n`,
      ),
    }),
  },
  { name: "longer than is held: a log", output: () => ({ value: many(line) }) },
  {
    name: "longer than is held: JSON lines and one that is none",
    output: () => ({
      value: many((id) => (id === 8_000 ? "oops\n" : `${JSON.stringify(long(id))}\n`)),
    }),
  },
  {
    name: "longer than is held, as it came",
    options: { encode: "as-came" },
    output: () => ({
      value: cut(JSON.stringify(Array.from({ length: COUNT }, (_, id) => long(id)))),
    }),
  },
  {
    name: "longer than is held, and within every limit",
    options: { decide: { gates: [] } },
    output: () => ({ value: many(line) }),
  },
  {
    name: "longer than is held, and cut in place",
    options: cutting,
    output: () => ({ value: many(line) }),
  },
  { name: "cut in place", options: cutting, output: () => ({ value: cut(words(900)) }) },
  {
    name: "longer than is held, and cut in place in a turn",
    options: { decide: { ...cutting.decide, turnBudget: { tokens: 100 } } },
    output: () => ({ value: many(line), turnCalls: 2 }),
  },
  {
    name: "stopped at its limit while it would stay",
    options: { streams: { maxBytes: 20 } },
    output: () => [
      { value: Readable.from(["twelve bytes", "and twelve more"]) },
      { value: pieces(9, record) },
    ],
  },
  {
    name: "stopped at its limit",
    options: { ...small, streams: { maxBytes: 5_000 } },
    output: () => ({ value: pieces(900, record) }),
  },
  {
    name: "longer than is held, and stopped at its limit",
    options: { streams: { maxBytes: 5_000_000 } },
    output: () => ({ value: pieces(900_000, long) }),
  },
  { name: "its source throws at once", output: () => ({ value: failingAt(0) }) },
  { name: "its source throws", output: () => ({ value: failingAt(400) }) },
  {
    name: "its source throws after more than is held",
    output: () => ({ value: failingAt(COUNT) }),
  },
  {
    name: "aborted while nothing comes",
    output: () => ({ value: stuck, signal: AbortSignal.timeout(20) }),
  },
  {
    name: "aborted before it began",
    output: () => ({
      value: pieces(9, record),
      signal: AbortSignal.abort(new Error("stopped by the user")),
    }),
  },
  {
    name: "a store that fails",
    options: { ...small, store: broken },
    output: () => ({ value: pieces(300, record) }),
  },
  {
    name: "longer than is held, and a store that fails",
    options: { ...small, store: broken },
    output: () => ({ value: many(line) }),
  },
  {
    name: "longer than is held, a store that fails, and all of it may stay",
    options: { decide: { threshold: { tokens: 200 }, onStoreFailure: "inline" }, store: broken },
    output: () => ({ value: many(line) }),
  },
  {
    name: "longer than is held, and no place to spool it",
    options: (rig) => ({
      ...small,
      drillIn: { spool: { directory: "/dev/null/none" } },
      store: rig.store,
    }),
    output: () => ({ value: many(line) }),
  },
  {
    name: "a set behind it is not asked for",
    options: { ...small, selectResultSet: () => "another" },
    output: () => [{ value: Readable.from(["small after all"]) }, { value: pieces(200, record) }],
  },
  {
    name: "longer than is held, and a gate that throws later",
    options: () => {
      let asked = 0;
      const gate = () => {
        if ((asked += 1) > 1) throw new Error("gate");
        return undefined;
      };
      return { decide: { gates: [gate] } };
    },
    output: () => ({ value: many(line) }),
  },
];

export const streams: readonly Case[] = walked(ROWS);
