import { appendFileSync } from "node:fs";

import type { BaseMessage } from "@langchain/core/messages";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { fileStore } from "../../../../src/store/file/index.js";
import { postgresStore } from "../../../../src/store/postgres/index.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { PG_URL } from "../../../store/servers.js";
import { playedEngine } from "./played-engine.js";

/** Where checkpoints and stored outputs are. */
export type KeptIn = "files" | "PostgreSQL";

/** An agent whose code looks up, deletes when a person agrees and looks up again. What is done is a line in `deeds`. */
export async function restartedAgent(
  folder: string,
  kept: KeptIn,
): Promise<{ invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }> }> {
  const note = (text: string): string => {
    appendFileSync(`${folder}/deeds`, `${text}\n`);
    return text;
  };
  const doing = (name: string) =>
    tool(({ what }: { what: string }) => note(`${name} ${what}`), {
      name,
      description: "Does it.",
      schema: z.object({ what: z.string() }),
    });
  const checkpointer =
    kept === "files"
      ? SqliteSaver.fromConnString(`${folder}/checkpoints`)
      : PostgresSaver.fromConnString(PG_URL);
  if (checkpointer instanceof PostgresSaver) await checkpointer.setup();
  const code = `await tools.look({ what: "one" });
    await Promise.all(["two", "three"].map((what) => tools.look({ what })));
    const done = await tools.remove({ what: "it" });
    await tools.look({ what: "after" });
    return done`;
  return createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: "code_tool_output", args: { code } }] },
      (messages) => messages.at(-1)?.text ?? "",
    ]),
    tools: [doing("look"), doing("remove")],
    checkpointer,
    middleware: [
      offloadMiddleware({
        store:
          kept === "files"
            ? fileStore({ directory: `${folder}/store` })
            : postgresStore({ connectionString: PG_URL }),
        drillIn: { code: playedEngine({ tools: ["look", "remove"], approvalFor: ["remove"] }) },
      }),
    ],
  });
}
