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

/** A statement whose value a notebook draws. */
const SHOWS = /^(?:await )?(?:chart|checkAnswer|conversation|json|table|text|whoAnswers)\(/m;
const ANSWER = /^Equal to the data: (.*)$/gm;

export function readNotebook(path: string): Notebook {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The code of all cells, as one module. */
export function codeOf({ cells }: Notebook): string {
  const code = cells.filter((cell) => cell.cell_type === "code");
  return `${code.map(({ source }) => source.join("")).join("\n\n")}\n`;
}

/** What the cells show of one media type, in order. */
export function shown({ cells }: Notebook, mediaType: string): string[] {
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  return outputs.flatMap(({ data }) => {
    const value = data?.[mediaType];
    return value === undefined ? [] : [[value].flat().join("")];
  });
}

/** Whether each cell that has something to show shows it. */
export function isWhole({ cells }: Notebook): boolean {
  const showing = cells.filter((cell) => {
    return cell.cell_type === "code" && SHOWS.test(cell.source.join(""));
  });
  return showing.every(({ outputs }) => outputs?.length === 1);
}

/** The answers in a text that were found equal to the data, in order. */
export function answersIn(text: string): unknown[] {
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
