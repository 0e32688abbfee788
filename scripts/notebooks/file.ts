import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

/** Where the notebooks are, and where their cells run. */
export const NOTEBOOKS = "examples/notebooks";

/** The parts of a notebook file that are read here. */
export interface Notebook {
  readonly cells: readonly Cell[];
}

interface Cell {
  readonly cell_type: string;
  readonly source: readonly string[];
  readonly outputs?: readonly Output[];
}

interface Output {
  readonly output_type: string;
  readonly data?: Readonly<Record<string, string | readonly string[]>>;
}

/** One thing that a cell shows, by media type. */
export type Drawn = Readonly<Record<string, string>>;

/** A statement whose value a notebook draws. */
const SHOWS =
  /^(?:await )?(?:bars|callsSideBySide|checkAnswer|columns|conversation|json|table|text|whoAnswers)\(/m;
const ANSWER = /^Equal to the data: (.*)$/gm;

export function readNotebook(path: string): Notebook {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The code of all cells, as one module. */
export function codeOf({ cells }: Notebook): string {
  const code = cells.filter((cell) => cell.cell_type === "code");
  return `${code.map(({ source }) => source.join("")).join("\n\n")}\n`;
}

/** All that the cells show, in order. */
export function drawnIn({ cells }: Notebook): Drawn[] {
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  return outputs.map(({ data = {} }) =>
    Object.fromEntries(
      Object.entries(data).map(([mediaType, value]) => [mediaType, [value].flat().join("")]),
    ),
  );
}

/** Whether each cell that has something to show shows it. */
export function isWhole({ cells }: Notebook): boolean {
  const showing = cells.filter((cell) => {
    return cell.cell_type === "code" && SHOWS.test(cell.source.join(""));
  });
  return showing.every(({ outputs }) => outputs?.length === 1);
}

/** The answers among what is shown that were found equal to the data, in order. */
export function answersIn(drawn: readonly Drawn[]): unknown[] {
  const text = drawn.map((one) => one["text/plain"] ?? "").join("\n");
  return Array.from(text.matchAll(ANSWER), ([, answer = "null"]) => JSON.parse(answer));
}

/**
 * What is wrong with an execution: no answer at all, or others than the committed ones. `resized` says that
 * it ran over fewer data, so that the cells alone have checked the answer.
 */
export function faultOf(
  committed: readonly unknown[],
  executed: readonly unknown[],
  resized: boolean,
): string | undefined {
  if (executed.length === 0) return "It shows no answer that was checked.";
  if (committed.length === 0)
    return "It is committed without an answer: npm run notebooks -- --write";
  if (resized || isDeepStrictEqual(executed, committed)) return undefined;
  return `The answer has changed.\n  committed: ${JSON.stringify(committed)}\n  now:       ${JSON.stringify(executed)}`;
}
