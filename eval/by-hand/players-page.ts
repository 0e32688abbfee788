import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { PRACTICE } from "../tasks/practice.js";
import { BY_HAND_ARMS } from "./by-hand-arms.js";
import { playersTables } from "./players-table.js";
import type { ResultsFile } from "./results.js";

/** Writes the page of the practice set from recorded results. */
export function writePlayersPage(path: string, files: readonly ResultsFile[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${playersPage(files)}\n`);
}

/** The page: how the results were made, the tables, the arms. */
function playersPage(files: readonly ResultsFile[]): string {
  const distinct = (of: (file: ResultsFile) => string): string[] => [...new Set(files.map(of))];
  const arms = distinct(({ arm }) => arm);
  const asked = new Set(files.flatMap(({ results }) => results.map(({ task }) => task)));
  return [
    "# The practice set",
    `${asked.size} of the ${PRACTICE.length} tasks in \`eval/tasks\`, over real data sets of npm packages, each with an answer that ` +
      "code computes from the data. Whoever played saw what a model sees and nothing else: the messages, the tools and " +
      "their answers.",
    `Played by: ${distinct(({ player }) => player).join(", ")}. ${distinct(({ versions }) => versions).join("; ")}. Tokens of o200k_base. Made by:`,
    "    npm run eval -- --by-hand --http --arm ARM --player NAME --results FILE\n    npm run eval -- --by-hand --report FILE,… --page docs/evaluation/practice.md",
    playersTables(files),
    [
      "## Arms",
      "",
      ...BY_HAND_ARMS.filter(({ name }) => arms.includes(name)).map(
        ({ name, summary }) => `- \`${name}\`: ${summary}.`,
      ),
    ].join("\n"),
  ].join("\n\n");
}
