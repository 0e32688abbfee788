import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One fault put into the source on purpose. A test has to fail for it. */
export interface Fault {
  /** What is wrong with it, in a few words. */
  readonly fault: string;
  /** Below `src`. */
  readonly file: string;
  /** Text that stands once in the file. */
  readonly find: string;
  /** What stands there instead. */
  readonly put: string;
}

/** A fault against a rule of the LRO specification, whose test's title begins with its number. */
interface Mutant extends Fault {
  readonly rule: number;
}

/** A fault against one of the rules that hold for the library as a whole. */
interface WholeMutant extends Fault {
  readonly whole: number;
  /** A file whose tests find it, below `test`. */
  readonly test: string;
}

/** What the library promises whatever the specification says. */
export const WHOLE_RULES: readonly string[] = [
  "A tool call never fails because of the library.",
  "Every byte is within reach.",
  "What stands for an output is never dearer than the output.",
  "Small outputs pay nothing.",
  "References are capabilities.",
  "What a model sends is hostile.",
  "The data is hostile too.",
  "Names that the model sees exist.",
  "A restart loses nothing, and a checkpoint carries nothing.",
  "Prompt caches stay warm.",
];

const TITLE = /^(?:whole-(?<whole>\d+) (?<test>\S+)|(?<rule>\d+)) (?<file>\S+): (?<fault>.+)$/;

/** The entries of `faults.txt`: a title, the lines that are found behind `-`, and those put there behind `+`. */
const entries: readonly Readonly<Record<string, string | undefined>>[] = readFileSync(
  join(import.meta.dirname, "faults.txt"),
  "utf8",
)
  .split("\n\n")
  .map((entry) => {
    const [title = "", ...lines] = entry.split("\n");
    const { groups } = TITLE.exec(title) ?? {};
    if (groups === undefined) throw new Error(`faults.txt has no such title: ${title}`);
    const behind = (mark: string): string =>
      lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join("\n");
    return { ...groups, find: behind("-"), put: behind("+") };
  });

function faultOf({
  fault = "",
  file = "",
  find = "",
  put = "",
}: Readonly<Record<string, string | undefined>>): Fault {
  return { fault, file, find, put };
}

export const MUTANTS: readonly Mutant[] = entries.flatMap((entry) =>
  entry["rule"] === undefined ? [] : [{ ...faultOf(entry), rule: Number(entry["rule"]) }],
);

export const WHOLE_MUTANTS: readonly WholeMutant[] = entries.flatMap((entry) => {
  const { whole, test = "" } = entry;
  return whole === undefined ? [] : [{ ...faultOf(entry), whole: Number(whole), test }];
});
