import { type AgentMiddleware, ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { type AgingOptions, chooseStale } from "../src/plugins/aging/choose-stale.js";
import { createOffloader, memoryStore, offloadMiddleware, sessionKeyOf } from "../src/index.js";
import { conversationOf, FACTS, factOf, SYSTEM_TOKENS, type Turn } from "./aging/conversation.js";
import { loop, type Looped } from "./aging/loop.js";
import { type BenchRow, row, atMost, processorUs } from "./harness.js";
import { aging, ageMessages } from "../src/adapters/langchain/aging/index.js";
import { MAX_PLACEHOLDER_TOKENS } from "../src/adapters/langchain/aging/messages.js";
import { type Bill, createBill, type Part, sum } from "./aging/bill.js";

/** What a simulation gives beside its bill. */
interface Simulated extends Bill {
  readonly batches: number;
}

const HUMAN: Part = { text: "human", tokens: 10 };

/** The calls of a conversation with the policy of the library, or with none; no message has any text. */
function simulate(turns: readonly Turn[], rules: AgingOptions | undefined): Simulated {
  const bills = createBill();
  const parts: (Part & { readonly role: "answer" | "result" | "other" })[] = [
    { ...HUMAN, role: "other" },
  ];
  let batches = 0;

  function call(): void {
    const items = parts.map(({ role, tokens, text }) => ({
      role,
      tokens,
      agedTokens:
        role === "result" && !text.startsWith("aged") ? MAX_PLACEHOLDER_TOKENS : undefined,
    }));
    const batch = rules ? chooseStale(items, { tokens: SYSTEM_TOKENS + sum(parts) }, rules) : [];
    batches += batch.length === 0 ? 0 : 1;
    for (const place of batch) {
      parts[place] = { role: "result", text: `aged ${place}`, tokens: MAX_PLACEHOLDER_TOKENS };
    }
    bills.add([...parts]);
  }

  turns.forEach(({ saidTokens, resultTokens }, turn) => {
    call();
    parts.push({ role: "answer", text: `said ${turn}`, tokens: saidTokens });
    parts.push({ role: "result", text: `result ${turn}`, tokens: resultTokens });
  });
  call();
  return { ...bills.bill(), batches };
}

const MESSAGES = 300;
const CALLS = 2_000;
const GOAL_MS = 0.2;

/** What a model call costs in which nothing leaves. */
async function overheadRow(): Promise<BenchRow> {
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: [aging({ trigger: { tokens: 10 ** 9 } })],
  });
  const config = { configurable: { thread_id: "bench" } };
  const messages = conversation();
  for (let call = 0; call < CALLS; call += 1) await ageMessages(offloader, messages, config);
  const before = processorUs();
  for (let call = 0; call < CALLS; call += 1) await ageMessages(offloader, messages, config);
  const ms = (processorUs() - before) / 1000 / CALLS;
  await offloader.close();
  return row({
    group: "aging",
    name: `a model call that ages nothing, ${MESSAGES} messages`,
    ours: `${ms.toFixed(3)} ms`,
    ...atMost(ms, GOAL_MS, "ms"),
  });
}

function conversation(): BaseMessage[] {
  const turns = Array.from({ length: MESSAGES / 2 }, (_, turn) => [
    new AIMessage({
      id: `answer ${turn}`,
      content: "",
      tool_calls: [{ id: `call ${turn}`, name: "look", args: { turn } }],
    }),
    new ToolMessage({
      id: `result ${turn}`,
      tool_call_id: `call ${turn}`,
      name: "look",
      content: "lorem ipsum ".repeat(300),
    }),
  ]);
  return [new HumanMessage({ id: "human", content: "Look." }), ...turns.flat()];
}

const SEEDS = 20;
const LENGTHS = [20, 50, 100, 300];
/** At most so many parts of what the same conversation costs where nothing leaves. */
const GOALS: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  30_000: { 20: 1, 100: 0.62, 300: 0.37 },
  60_000: { 20: 1, 100: 0.76, 300: 0.37 },
};
const MOST_PEAK_TOKENS = 76_000;

/** Costs of long conversations in which results age, by the simulation and in real agents. */
export async function benchAging(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const trigger of [30_000, 60_000]) {
    for (const turns of LENGTHS) rows.push(costRow(trigger, turns));
  }
  rows.push(...(await realRows()), await overheadRow());
  return rows;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(0)} %`;
}

function costRow(trigger: number, turns: number): BenchRow {
  const rules = { trigger: { tokens: trigger } };
  const runs = Array.from({ length: SEEDS }, (_, seed) => {
    const conversation = conversationOf(turns, seed);
    return { ours: simulate(conversation, rules), never: simulate(conversation, undefined) };
  });
  const mean = (of: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const cost = mean(({ ours, never }) => ours.cost / never.cost);
  const peak = mean(({ ours }) => ours.peakTokens);
  const goal = GOALS[trigger]?.[turns];
  const isCheap = goal === undefined || cost <= goal + 1e-9;
  return {
    group: "aging",
    name: `simulated, ${turns} turns, over ${trigger.toLocaleString("en-US")} tokens`,
    ours: `${percent(cost)} of never, peak ${(peak / 1000).toFixed(0)}k, ${mean(({ ours }) => ours.batches).toFixed(1)} batches`,
    other: `never: peak ${(mean(({ never }) => never.peakTokens) / 1000).toFixed(0)}k`,
    ratio: percent(cost),
    goal: goal === undefined ? "-" : `at most ${percent(goal)} of never, peak at most 76k`,
    met: goal === undefined ? null : isCheap && peak <= MOST_PEAK_TOKENS,
  };
}

async function realRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const turns of [20, 100, 300]) {
    const conversation = conversationOf(turns, 1);
    const never = await loop(conversation, {});
    const simulated = simulate(conversation, { trigger: { tokens: 30_000 } });
    const { run, batches, facts } = await ourLoop(conversation);
    const isAlike =
      Math.abs(run.cost / simulated.cost - 1) < 0.01 &&
      run.peakTokens === simulated.peakTokens &&
      run.breaks === simulated.batches;
    rows.push(
      {
        group: "aging",
        name: `a real agent, ${turns} turns: cost, peak, prefix breaks`,
        ours: told(run, never),
        other: `the simulation: ${told(simulated, simulate(conversation, undefined))}`,
        ratio: (run.cost / simulated.cost).toFixed(3),
        goal: "the same peak and breaks, cost within 1 %",
        met: isAlike,
      },
      row({
        group: "aging",
        name: `a real agent, ${turns} turns: breaks and facts`,
        ours: `${run.breaks} breaks, ${facts} of ${FACTS} facts`,
        other: `${batches} batches`,
        goal: "no more breaks than batches, all facts can be read",
        met: run.breaks <= batches && facts === FACTS,
      }),
    );
    if (turns !== 20) rows.push(...(await otherRows(conversation, never, run)));
  }
  return rows;
}

/** What others make of the same conversation. */
async function otherRows(
  conversation: ReturnType<typeof conversationOf>,
  never: Looped,
  ours: Looped,
): Promise<BenchRow[]> {
  const eachTurn = new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 3 } });
  const others: [string, Parameters<typeof loop>[1]][] = [
    [
      "clearing each turn, keep 3",
      { middleware: [contextEditingMiddleware({ edits: [eachTurn] })] },
    ],
    ["context editing's defaults", { middleware: [contextEditingMiddleware()] }],
    ["deep agents' summarization", { isDeep: true }],
  ];
  const rows: BenchRow[] = [];
  for (const [name, options] of others) {
    const other = await loop(conversation, options);
    const facts = factsIn(other.last.map(({ text }) => text));
    rows.push(
      row({
        group: "aging",
        name: `a real agent, ${conversation.length} turns, against ${name}`,
        ours: told(ours, never),
        other: `${told(other, never)}, ${facts} of ${FACTS} facts`,
        ratio: percent(ours.cost / other.cost),
      }),
    );
  }
  return rows;
}

function told(
  { cost, peakTokens, breaks }: Pick<Looped, "cost" | "peakTokens"> & { readonly breaks: number },
  never: { readonly cost: number },
): string {
  return `${percent(cost / never.cost)} of never, peak ${(peakTokens / 1000).toFixed(0)}k, ${breaks} breaks`;
}

/** The conversation with aging, and which facts can still be read at its end. */
async function ourLoop(
  conversation: ReturnType<typeof conversationOf>,
): Promise<{ readonly run: Looped; readonly batches: number; readonly facts: number }> {
  let batches = 0;
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: [aging({ trigger: { tokens: 30_000 } })],
    onEvent: ({ type }) => {
      if (type === "aged") batches += 1;
    },
  });
  try {
    const middleware: AgentMiddleware[] = [offloadMiddleware({ offloader })];
    const run = await loop(conversation, { middleware });
    const texts = await Promise.all(
      run.last.map(async ({ text }) => {
        const id = /read_tool_output\("(\w+)"\)\]$/.exec(text)?.[1];
        if (id === undefined) return text;
        return (await offloader.drillIn.run("read", { id }, { sessionKey: sessionKeyOf("bench") }))
          .text;
      }),
    );
    return { run, batches, facts: factsIn(texts) };
  } finally {
    await offloader.close();
  }
}

function factsIn(texts: readonly string[]): number {
  const all = texts.join("\n");
  return Array.from({ length: FACTS }, (_, turn) => factOf(turn)).filter((fact) =>
    all.includes(fact),
  ).length;
}
