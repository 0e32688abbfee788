import type { StructuredToolInterface } from "@langchain/core/tools";
import { tool } from "langchain";
import * as z from "zod";

import { outputsOf, records } from "../data.js";
import { offloadFrom, type ScriptedTurn } from "../entries.js";
import type { Case } from "../pins.js";
import { calls, drill, question, SURFACES, thread, told } from "../surfaces.js";

const { "a JSON array": json = "" } = outputsOf(100);

interface Row {
  readonly name: string;
  /** What the tool does. */
  readonly answer: Parameters<typeof tool>[0];
  readonly returnDirect?: boolean;
  readonly next?: readonly ScriptedTurn[];
}

const ROWS: readonly Row[] = [
  {
    name: "records, and a drill-in",
    answer: () => json,
    next: [drill("jq_tool_output", { filter: "map(.score) | add", slurp: true })],
  },
  { name: "a tool whose output is the user's", answer: () => json, returnDirect: true },
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

function toolOf({ answer, returnDirect = false }: Row): StructuredToolInterface {
  const fields = {
    name: "list_rows",
    description: "All rows.",
    schema: z.object({}),
    returnDirect,
  };
  return tool(answer, fields as never) as unknown as StructuredToolInterface;
}

/** The first rows run on every surface, the others where most people are. */
const ON_ALL = 1;

export const surfaces: readonly Case[] = Object.entries(SURFACES).flatMap(([surface, make]) =>
  ROWS.slice(0, surface === "an agent" ? ROWS.length : ON_ALL).map((row) => ({
    name: `${surface}: ${row.name}`,
    run: async (rig) => {
      const offloader = rig.offloader();
      const { model, invoke } = make(
        offloader,
        [toolOf(row)],
        [calls("list_rows"), ...(row.next ?? [])],
      );
      const { messages } = await invoke(question, thread);
      await offloader.close();
      return await rig.pinned({ messages: told(messages), boundTools: model.boundTools });
    },
  })),
);
