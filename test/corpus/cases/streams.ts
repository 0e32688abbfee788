import { cut, pieces } from "../data.js";
import type { Case } from "../pins.js";
import { pipelineCases, type PipelineRow } from "../offload-case.js";

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
const cutting = { threshold: { tokens: 200 }, mode: "truncate" as const };
const ROWS: readonly PipelineRow[] = [
  {
    name: "longer than is held: one JSON array",
    output: () => ({
      value: cut(JSON.stringify(Array.from({ length: COUNT }, (_, id) => long(id)))),
    }),
  },
  {
    name: "longer than is held: JSON lines and one that is none",
    output: () => ({
      value: many((id) => (id === 8_000 ? "oops\n" : `${JSON.stringify(long(id))}\n`)),
    }),
  },
  {
    name: "longer than is held, and cut in place",
    options: cutting,
    output: () => ({ value: many(line) }),
  },
  {
    name: "longer than is held, and stopped at its limit",
    options: { maxOutputBytes: 5_000_000 },
    output: () => ({ value: pieces(900_000, long) }),
  },
  {
    name: "its source throws after more than is held",
    output: () => ({ value: failingAt(COUNT) }),
  },
  {
    name: "aborted while nothing comes",
    output: () => ({ value: stuck, signal: AbortSignal.timeout(20) }),
  },
];

export const streams: readonly Case[] = pipelineCases(ROWS);
