import { referring } from "../../referring.js";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { tool } from "langchain";
import * as z from "zod";

import { outputsOf } from "../data.js";
import type { ScriptedTurn } from "../entries.js";
import { Exact } from "../plain.js";
import type { Case } from "../pins.js";
import { calls, idIn, question, SURFACES, thread, told } from "../surfaces.js";

const json = outputsOf(60)["a JSON array"] ?? "";

const listRows = tool(() => json, {
  name: "list_rows",
  description: "All rows.",
  schema: z.object({}),
}) as unknown as StructuredToolInterface;

const received: unknown[] = [];
/** A tool that keeps what it was given. */
const sendReport = tool(
  (args: Record<string, unknown>) => {
    received.push(args["rows"]);
    return "sent";
  },
  {
    name: "send_report",
    description: "Sends a report.",
    schema: z.object({ rows: z.any(), title: z.string().optional() }),
  },
) as unknown as StructuredToolInterface;

/** What the tool was given since the last case. */
const taken = (): Exact => new Exact(received.splice(0));

/** What a model passes as `rows` of another tool. */
const REFERENCES: Readonly<Record<string, (id: string) => unknown>> = {
  "a filter": (id) => ({ $output: id, jq: "select(.id < 2) | .city" }),
  "two parts at once": (id) => ({ $output: id, jq: ".", lines: [1, 2] }),
  "a reference as text": (id) => JSON.stringify({ $output: id }),
  "an output that is not there": () => ({ $output: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }),
};

const toAnAgent: readonly Case[] = Object.entries(REFERENCES).map(([name, rows]) => ({
  name: `an agent: ${name}`,
  run: async (rig) => {
    const offloader = rig.offloader({
      ...referring({ send_report: ["rows"] }),
      threshold: { tokens: 500 },
    });
    const send: ScriptedTurn = (messages) => ({
      toolCalls: [{ name: "send_report", args: { rows: rows(idIn(messages)) } }],
    });
    const { "an agent": make } = SURFACES;
    const run = make?.(offloader, [listRows, sendReport], [calls("list_rows"), send]);
    const messages = (await run?.invoke(question, thread))?.messages ?? [];
    await offloader.close();
    return await rig.pinned({ messages: told(messages.slice(-2)), received: taken() });
  },
}));

export const references: readonly Case[] = toAnAgent;
