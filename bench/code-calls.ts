import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { createAgent, createMiddleware, tool } from "langchain";
import * as z from "zod";

import { memoryStore, offloadMiddleware } from "../src/index.js";
import { createMeasure } from "../src/core/measure/measure.js";
import { scriptedModel, type ScriptedTurn } from "../src/testing/scripted-model.js";
import { type BenchRow, row } from "./harness.js";

const CALLS = 50;
/** One piece of code may cost at most so many parts of what the calls cost one by one. */
const MOST_OF_ONE_BY_ONE = 0.1;

interface Cost {
  readonly modelCalls: number;
  /** Of all that the model read, in all its calls, and wrote. */
  readonly tokens: number;
}

/** A task of fifty calls of a tool, in one piece of code and as the model's own calls, without a model. */
export async function benchCodeCalls(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const size of [1, 2, 5, CALLS]) {
    const names = Array.from({ length: size }, (_, index) => `user-${index}`);
    const code = `let open = 0; for (const list of await Promise.all(${JSON.stringify(names)}.map((user) => tools.list_issues({ user })))) open += list.filter((one) => one.open).length; return open`;
    const inCode = await costOf([{ toolCalls: [{ name: "code_tool_output", args: { code } }] }]);
    const calls = names.map((user) => ({ name: "list_issues", args: { user } }));
    const oneByOne = await costOf(calls.map((call) => ({ toolCalls: [call] })));
    const atOnce = await costOf([{ toolCalls: calls }]);
    const isGoal = size === CALLS;
    rows.push(
      rowOf(`${calledTimes(size)}, one by one`, inCode, oneByOne, isGoal),
      rowOf(`${calledTimes(size)}, in one message`, inCode, atOnce, false),
    );
  }
  return rows;
}

function calledTimes(size: number): string {
  return size === 1 ? "1 call" : `${size} calls`;
}

function rowOf(name: string, ours: Cost, other: Cost, isGoal: boolean): BenchRow {
  const part = ours.tokens / other.tokens;
  const told = ({ modelCalls, tokens }: Cost): string =>
    `${tokens} tokens, ${modelCalls} model calls`;
  return row({
    group: "code-calls",
    name,
    ours: told(ours),
    other: told(other),
    ratio: `${part.toPrecision(2)}x tokens`,
    ...(isGoal && {
      goal: "at most 0.1x of the tokens, and 2 model calls",
      met: part <= MOST_OF_ONE_BY_ONE && ours.modelCalls === 2,
    }),
  });
}

async function costOf(turns: readonly ScriptedTurn[]): Promise<Cost> {
  // The workers of code are plain JavaScript, so the built package runs.
  const { code } = await import("../dist/plugins/code/index.js");
  const measure = createMeasure({});
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const model = scriptedModel([...turns, "Done."]);
  const usesCode = JSON.stringify(turns).includes("code_tool_output");
  let definitions = "";
  const agent = createAgent({
    model,
    tools: [listIssues],
    middleware: [
      offloadMiddleware({
        store: memoryStore(),
        plugins: usesCode ? [code({ tools: ["list_issues"], interruptOn: {} })] : [],
      }),
      createMiddleware({
        name: "definitions",
        wrapModelCall: async (request, handler) => {
          definitions = JSON.stringify(
            request.tools.map((given) => [given.name, given.description, schemaOf(given)]),
          );
          return await handler(request);
        },
      }),
    ],
  });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage("How many issues are open?")] },
    { configurable: { thread_id: "bench" }, recursionLimit: 500 },
  );
  const sizes = new Map<BaseMessage, number>();
  for (const message of messages) sizes.set(message, await count(written(message)));
  const ofDefinitions = await count(definitions);
  let tokens = 0;
  for (const request of model.requests) {
    tokens += ofDefinitions;
    for (const message of request) tokens += sizes.get(message) ?? (await count(written(message)));
  }
  return { modelCalls: model.requests.length, tokens };
}

function written(message: BaseMessage): string {
  const calls: unknown = Reflect.get(message, "tool_calls");
  return message.text + (Array.isArray(calls) && calls.length > 0 ? JSON.stringify(calls) : "");
}

function schemaOf(given: object): unknown {
  const schema: unknown = Reflect.get(given, "schema");
  return typeof schema === "object" && schema !== null ? toJsonSchema(schema) : {};
}

const listIssues = tool(
  ({ user }) =>
    JSON.stringify(
      Array.from({ length: 12 }, (_, index) => ({
        id: `${user}-${index}`,
        title: `Issue ${index} of ${user}`,
        open: index % 3 === 0,
        labels: ["bug", "backend"],
      })),
    ),
  {
    name: "list_issues",
    description: "Lists a user's issues.",
    schema: z.object({ user: z.string() }),
  },
);
