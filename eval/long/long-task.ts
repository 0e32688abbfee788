import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  tool,
} from "langchain";
import { memoryStore, offloadMiddleware } from "langchain-offload";
import { aging } from "langchain-offload/aging";
import { scriptedModel } from "langchain-offload/testing";
import * as z from "zod";

import type { EvaluationContext } from "../evaluate.js";
import { randomOf } from "../random.js";
import { tableText } from "../report/table.js";
import { reportReader } from "./report-reader.js";

/** Reports that are read, one a call. */
const REPORTS = 60;
/** The one that is asked for at the end. */
const ASKED = 3;
const SEED = 42;
const LINES = 48;
/** Size above which results leave, by either way, in tokens. */
const TRIGGER_TOKENS = 12_000;

/** What keeps the context small, and what it came to. */
export interface LongArm {
  readonly name: string;
  readonly middleware: () => AgentMiddleware[];
}

/** One conversation of the task. */
export interface LongRun {
  readonly name: string;
  readonly isRight: boolean;
  readonly answer: string;
  /** Characters of the longest prompt. */
  readonly peakCharacters: number;
}

const LONG_ARMS: readonly LongArm[] = [
  { name: "nothing leaves", middleware: () => [] },
  {
    name: "clearing",
    middleware: () => [
      contextEditingMiddleware({
        edits: [
          new ClearToolUsesEdit({ trigger: { tokens: TRIGGER_TOKENS }, keep: { messages: 3 } }),
        ],
      }),
    ],
  },
  ...(["mark", "replace"] as const).map((mode) => ({
    name: `aging, ${mode}`,
    middleware: () => [
      offloadMiddleware({
        store: memoryStore(),
        plugins: [aging({ trigger: { tokens: TRIGGER_TOKENS }, mode })],
      }),
    ],
  })),
];

/** Reads all reports and then asks for what stood in the third, in each way. */
export async function runLongTask(arms: readonly LongArm[] = LONG_ARMS): Promise<LongRun[]> {
  const reports = makeReports();
  const runs: LongRun[] = [];
  for (const { name, middleware } of arms) {
    const reader = reportReader(REPORTS);
    // One turn for each call that it may take, and some to spare.
    const model = scriptedModel(Array.from({ length: REPORTS + 20 }, () => reader));
    const readReport = tool(({ number }) => reports[number - 1]?.text ?? "There is none.", {
      name: "read_report",
      description: "The report of a number.",
      schema: z.object({ number: z.number() }),
    });
    const agent = createAgent({
      model,
      tools: [readReport],
      middleware: middleware(),
      checkpointer: new MemorySaver(),
    });
    const question = `Read reports 1 to ${REPORTS}, one after the other. Then say what the total of report ${ASKED} was.`;
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(question)] },
      { configurable: { thread_id: name }, recursionLimit: 10 * REPORTS },
    );
    const answer = messages.at(-1)?.text ?? "";
    const lengths = model.requests.map((request) =>
      request.reduce((sum, { text }) => sum + text.length, 0),
    );
    const total = reports[ASKED - 1]?.total;
    const isRight = answer === `The total of report ${ASKED} was ${total}.`;
    runs.push({ name, isRight, answer, peakCharacters: Math.max(...lengths) });
  }
  return runs;
}

/** Runs `npm run eval -- --long-task` and returns the exit code: 1 when aging did not lead to the answer. */
export async function longTask(_: readonly string[], { out }: EvaluationContext): Promise<number> {
  const runs = await runLongTask();
  out(`${longTable(runs)}\n`);
  return runs.every(({ name, isRight }) => isRight || !name.startsWith("aging")) ? 0 : 1;
}

export function longTable(runs: readonly LongRun[]): string {
  return tableText({
    title: `A task of ${REPORTS} tool calls that asks at its end for report ${ASKED}`,
    note: "Played by a script that reads back what a line in the conversation names; its numbers are of no model.",
    head: ["context", "answered", "longest prompt, characters"],
    rows: runs.map(({ name, isRight, peakCharacters }) => [
      name,
      isRight ? "yes" : "no",
      peakCharacters.toLocaleString("en"),
    ]),
  });
}

function makeReports(): { readonly text: string; readonly total: number }[] {
  const { below } = randomOf(SEED);
  return Array.from({ length: REPORTS }, (_, report) => {
    const amounts = Array.from({ length: LINES }, () => below(10_000));
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const lines = amounts.map(
      (amount, line) => `Item ${line + 1} of report ${report + 1}: ${amount} in the ledger.`,
    );
    return { text: [`Report ${report + 1}`, ...lines, `Total: ${total}`].join("\n"), total };
  });
}
