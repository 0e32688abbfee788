import { Command } from "@langchain/langgraph";
import { type AgentMiddleware, humanInTheLoopMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../../src/index.js";
import { type Args, lastTool, rows, storedIn } from "../../receiving-tool.js";
import { askedOf, question, usualAgents } from "./usual-agent.js";

const usualAgent = usualAgents();
const STATED = "list_rows: 2,000 records, 51,066 bytes";

describe("a person who decides on the call", () => {
  const person: AgentMiddleware = humanInTheLoopMiddleware({
    interruptOn: { send_report: { allowedDecisions: ["approve", "edit"] } },
  } as never) as never;

  it.each([
    ["before", { before: [person] }],
    ["after", { after: [person] }],
  ])("sees what it hands over, in a middleware that stands %s this one", async (_, around) => {
    const lying = (id: string): Args => ({
      rows: { $output: id, jq: ".city", is: "nothing of value" },
    });
    const { invoke, given } = usualAgent(lying, around);
    const asked = await invoke(question, "p");
    const { id } = storedIn(asked.messages);
    const { args, description } = askedOf(asked);
    expect(args).toEqual({ rows: { $output: id, jq: ".city", is: STATED } });
    expect(description).toContain(STATED);
    await invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), "p");
    expect(given).toEqual([{ rows: rows.map(({ city }) => city) }]);
  });

  it("sees what it hands over where the call names it by its title", async () => {
    const call = (): Args => ({ rows: { $output: "all the rows" } });
    const { invoke, given, offloader } = usualAgent(call, { after: [person] });
    await offloader.put(rows, { sessionId: "t", title: "all the rows" });
    expect(askedOf(await invoke(question, "t")).description).toContain("2,000 records");
    await invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), "t");
    expect(given).toEqual([{ rows }]);
  });

  it("may change the call, but not to an output of which it would not be true", async () => {
    const { invoke, given } = usualAgent((id) => ({ rows: { $output: id } }), { after: [person] });
    const asked = await invoke(question, "e");
    const { args } = askedOf(asked);
    const edited = {
      name: "send_report",
      args: { rows: { ...(args["rows"] as Args), jq: "select(.id == 1)" } },
    };
    await invoke(
      new Command({ resume: { decisions: [{ type: "edit", editedAction: edited }] } }),
      "e",
    );
    expect(given).toEqual([{ rows: [rows[1]] }]);
    const again = usualAgent((id) => ({ rows: { $output: id } }), { after: [person] });
    await again.invoke(question, "e");
    const other = await again.offloader.put(rows.slice(0, 700), { sessionId: "e" });
    const swapped = {
      name: "send_report",
      args: { rows: { $output: other.storedArtifact.id, is: STATED } },
    };
    const { messages } = await again.invoke(
      new Command({ resume: { decisions: [{ type: "edit", editedAction: swapped }] } }),
      "e",
    );
    expect(again.given).toEqual([]);
    expect(lastTool(messages).text).toContain("was not stated when the call was made");
  });

  it.each(["expired", "was deleted before its time"])(
    "S14: is told at once that the output %s meanwhile, as a drill-in tells it",
    async (fate) => {
      let nowMs = Date.now();
      const now = (): number => nowMs;
      const options = { now, store: memoryStore({ now }) };
      const call = (id: string): Args => ({ rows: { $output: id } });
      const { invoke, given, offloader, events } = usualAgent(call, { after: [person], options });
      const asked = await invoke(question, "g");
      const { id, sessionKey } = storedIn(asked.messages);
      if (fate === "expired") nowMs += offloader.options.ttlMs;
      else await offloader.store.delete(id, sessionKey);
      const decided = new Command({ resume: { decisions: [{ type: "approve" }] } });
      const told = lastTool((await invoke(decided, "g")).messages).text;
      const { text } = await offloader.drillIn.run("read", { id }, { sessionKey });
      expect(text).toContain(fate);
      expect(told).toContain(text);
      expect(given).toEqual([]);
      expect(events.filter(({ type }) => type === "referenced")).toMatchObject([{ failed: true }]);
    },
  );
});
