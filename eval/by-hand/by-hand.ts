import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

import { messageOf } from "../../src/util/error-message.js";
import { withArm } from "../agent.js";
import { packageVersions } from "../package-versions.js";
import { createTokenCounter } from "../tokens.js";
import type { EvaluationContext } from "../evaluate.js";
import { UsageError } from "../command-line.js";
import { BY_HAND_HELP, type ByHandOptions, parseByHand } from "./by-hand-options.js";
import { createExchange, type Exchange } from "./exchange.js";
import { holdTask } from "./hold-task.js";
import { serveHttpPlayer, type TaskPlace } from "./http-player.js";
import { kindsTable, playersTables } from "./players-table.js";
import { openResults, readResults, type ResultsFile } from "./results.js";
import { playInTerminal } from "./terminal-player.js";
import { fetchUnseen, UNSEEN_TASKS } from "../tasks/unseen/unseen-tasks.js";
import { BY_HAND_ARMS } from "./by-hand-arms.js";

/** The page: how the results were made, the tables, the arms. */
function playersPage(files: readonly ResultsFile[]): string {
  const distinct = (of: (file: ResultsFile) => string): string[] => [...new Set(files.map(of))];
  const arms = distinct(({ arm }) => arm);
  const asked = new Set(files.flatMap(({ results }) => results.map(({ task }) => task)));
  return [
    "# The practice set",
    `${asked.size} tasks of \`eval/tasks\`, over real data sets of npm packages, each with an answer that ` +
      "code computes from the data. The players saw only what a model sees: the messages, the tools and their answers.",
    `Played by: ${distinct(({ player }) => player).join(", ")}. ${distinct(({ versions }) => versions).join("; ")}. Tokens of o200k_base. Made by:`,
    "    npm run eval -- --by-hand --http --arm ARM --player NAME --results FILE\n    npm run eval -- --by-hand --report FILE,… --page docs/evaluation/practice.md",
    kindsTable(files),
    [
      "## Arms",
      "",
      ...BY_HAND_ARMS.filter(({ name }) => arms.includes(name)).map(
        ({ name, summary }) => `- \`${name}\`: ${summary}.`,
      ),
    ].join("\n"),
  ].join("\n\n");
}

/** The window of whoever plays. */
export const WINDOW_TOKENS = 128_000;
/** A player who says nothing for so long is gone. */
const IDLE_MS = 60 * 60_000;

/** Runs `npm run eval -- --by-hand` and returns the exit code. */
export async function byHand(args: readonly string[], context: EvaluationContext): Promise<number> {
  try {
    const options = parseByHand(args);
    if (options === undefined) context.out(BY_HAND_HELP);
    else if (options.report.length > 0) report(options, context);
    else await play(options, context);
    return context.signal.aborted ? 130 : 0;
  } catch (error) {
    if (context.signal.aborted) return 130;
    context.err(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function report({ report, page }: ByHandOptions, { out, err }: EvaluationContext): void {
  const files = report.map(readResults);
  out(`${playersTables(files)}\n`);
  if (page === undefined) return;
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, `${playersPage(files)}\n`);
  err(`Written: ${page}\n`);
}

async function play(options: ByHandOptions, context: EvaluationContext): Promise<void> {
  const { arm, player, resultsFile, tasks } = options;
  const head = { arm: arm.name, player, versions: packageVersions() };
  const recorded = openResults(resultsFile, head);
  const pending = tasks.filter(({ id }) => !recorded.results.some(({ task }) => task === id));
  if (pending.length < tasks.length) {
    context.err(
      `${tasks.length - pending.length} of ${tasks.length} tasks are in ${resultsFile}.\n`,
    );
  }
  if (pending.some((task) => UNSEEN_TASKS.includes(task))) await fetchUnseen();
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const exchange = createExchange();
  let index = 0;
  const placeOf = (): TaskPlace => ({
    id: pending[index]?.id ?? "",
    number: index + 1,
    of: pending.length,
  });
  const playing = options.http
    ? playOverHttp(exchange, placeOf, context, signal)
    : playHere(exchange, placeOf, context).finally(() => ending.abort());
  const counter = await createTokenCounter();
  try {
    await withArm(arm, WINDOW_TOKENS, async (store) => {
      for (const [place, task] of pending.entries()) {
        index = place;
        const ask = withinIdleTime(exchange.ask, ending);
        recorded.add(await holdTask(task, ask, { arm, ...store, counter, signal }));
      }
      exchange.end();
      await playing;
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ending.abort();
  }
  context.out(`${playersTables([{ version: 1, ...head, results: recorded.results }])}\n`);
  context.err(`Written: ${resultsFile}\n`);
}

async function playOverHttp(
  exchange: Exchange,
  placeOf: () => TaskPlace,
  context: EvaluationContext,
  signal: AbortSignal,
): Promise<void> {
  const server = await serveHttpPlayer(exchange, placeOf);
  context.out(`${server.url}\n`);
  signal.addEventListener("abort", () => void server.close());
}

async function playHere(
  exchange: Exchange,
  placeOf: () => TaskPlace,
  { out }: EvaluationContext,
): Promise<void> {
  await playInTerminal(exchange, placeOf, {
    lines: () => createInterface({ input: process.stdin }),
    out,
  });
  process.stdin.destroy();
}

function withinIdleTime(ask: Exchange["ask"], ending: AbortController): Exchange["ask"] {
  return async (turn) => {
    const timer = setTimeout(() => ending.abort(), IDLE_MS).unref();
    try {
      return await ask(turn);
    } finally {
      clearTimeout(timer);
    }
  };
}
