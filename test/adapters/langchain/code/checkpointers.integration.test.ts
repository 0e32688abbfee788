import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";

import { PG_URL, postgresAnswers } from "../../../store/servers.js";
import { answers, approve, codeAgent, questionsOf } from "./rig.js";

const CODE = `const [one] = await tools.search_issues({ query: "a" });
  await Promise.all(["x", "y"].map((query) => tools.search_issues({ query })));
  const said = await tools.delete_issue({ id: one.id });
  await tools.search_issues({ query: "after" });
  return [said, await tools.delete_issue({ id: "b" }).catch((error) => error.message)]`;

const savers: [string, () => Promise<BaseCheckpointSaver>][] = [
  ["memory", async () => new MemorySaver()],
  ["SQLite", async () => SqliteSaver.fromConnString(":memory:")],
];
if (await postgresAnswers()) {
  savers.push([
    "PostgreSQL",
    async () => {
      const saver = PostgresSaver.fromConnString(PG_URL, { schema: `calls_${process.pid}` });
      onTestFinished(() => saver.end());
      await saver.setup();
      return saver;
    },
  ]);
}

describe.each(savers)("code whose calls need approval, with checkpoints in %s", (_, open) => {
  it.each(["played", "QuickJS"] as const)(
    "makes each lookup once, the approved call once and the refused one never (%s)",
    async (engine) => {
      const { ask, answer, deeds } = codeAgent(CODE, {
        engine,
        checkpointer: await open(),
        threadId: `thread-${engine}`,
        calls: { approvalFor: ["delete_issue"] },
      });
      expect(questionsOf(await ask())).toMatchObject([
        { actionRequests: [{ args: { id: "a-1" } }] },
      ]);
      expect(questionsOf(await answer(approve))).toMatchObject([
        { actionRequests: [{ args: { id: "b" } }] },
      ]);
      const { messages } = await answer({ type: "reject", message: "not b" });
      expect(deeds).toEqual({ found: ["a", "x", "y", "after"], deleted: ["a-1"] });
      expect(answers(messages)[0]).toContain('["deleted a-1","not b"]');
    },
  );
});
