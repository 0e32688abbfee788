import { ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { tool } from "langchain";
import * as z from "zod";

import { outputsOf, pieces, records } from "../data.js";
import { memoryStore, offloadFrom, type OffloadOptions, type ScriptedTurn } from "../entries.js";
import type { Case } from "../pins.js";
import { calls, drill, question, SURFACES, thread, told } from "../surfaces.js";

const { "a JSON array": json = "" } = outputsOf(100);

type Answer = Parameters<typeof tool>[0];

interface Row {
  readonly name: string;
  readonly options?: OffloadOptions;
  /** What the tool does. */
  readonly answer: Answer;
  /** What else the tool is. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly next?: readonly ScriptedTurn[];
  readonly configurable?: Readonly<Record<string, unknown>>;
}

const answered =
  (value: unknown): Answer =>
  () =>
    value;

const ROWS: readonly Row[] = [
  {
    name: "records, and a drill-in",
    answer: answered(json),
    next: [drill("jq_tool_output", { filter: "map(.score) | add", slurp: true })],
  },
  {
    name: "an MCP result with structured content",
    answer: answered([
      [{ type: "text", text: "Found 100." }],
      [{ type: "mcp_structured_content", data: { result: records(100) } }],
    ]),
    fields: { responseFormat: "content_and_artifact" },
  },
  { name: "a stream", answer: answered(undefined), fields: { stream: true } },
  {
    name: "a tool whose output is the user's",
    answer: answered(json),
    fields: { returnDirect: true },
  },
  {
    name: "a run that sets a limit of its own",
    answer: answered("some forty tokens of text, give or take. ".repeat(4)),
    configurable: { offload: { threshold: { tokens: 10 }, form: "bare" } },
  },
  {
    name: "a store that fails",
    options: {
      store: { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) },
      threshold: { tokens: 200 },
    },
    answer: answered(json),
  },
  {
    name: "a message and a command of the tool's own",
    answer: ((_: unknown, config: { toolCall?: { id?: string } }) =>
      new Command({
        update: {
          messages: [
            new ToolMessage({
              content: json,
              tool_call_id: config.toolCall?.id ?? "",
              name: "list_rows",
              id: "own",
            }),
          ],
        },
      })) as never,
  },
  {
    name: "values that the tool stores itself",
    answer: (async (_: unknown, config: unknown) => {
      const offload = offloadFrom(config);
      const first = await offload(records(40), { title: "The first" });
      const second = await offload("small", { title: "The second", form: "bare" });
      return `Two parts.\n${first}\n${second}`;
    }) as never,
    next: [drill("jq_tool_output", { filter: "length", slurp: true })],
  },
];

/** An async iterable that is no generator: what a generator yields are events to LangChain. */
const streamed = (): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => pieces(900, (id) => ({ id, city: "Rome" })),
});

function toolOf({ answer, fields: { stream, ...fields } = {} }: Row): StructuredToolInterface {
  const call = stream === undefined ? answer : ((async () => streamed()) as unknown as Answer);
  const schema = z.object({});
  return tool(call, {
    name: "list_rows",
    description: "All rows.",
    schema,
    ...fields,
  } as never) as unknown as StructuredToolInterface;
}

/** The first rows run on every surface, the others where most people are. */
const ON_ALL = 1;

export const surfaces: readonly Case[] = Object.entries(SURFACES).flatMap(([surface, make]) =>
  ROWS.slice(0, surface === "an agent" ? ROWS.length : ON_ALL).map((row) => ({
    name: `${surface}: ${row.name}`,
    run: async (rig) => {
      const offloader = rig.offloader(row.options);
      const { model, invoke } = make(
        offloader,
        [toolOf(row)],
        [calls("list_rows"), ...(row.next ?? [])],
      );
      const config = {
        configurable: { ...thread.configurable, ...row.configurable },
      };
      const result = await invoke(question, config).then(
        ({ messages }) => told(messages),
        (error: unknown) => ({ rejected: error }),
      );
      await offloader.close();
      return await rig.pinned({ messages: result, boundTools: model.boundTools });
    },
  })),
);
