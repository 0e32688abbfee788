import { describe, expect, it } from "vitest";

import { type Offloader, resultText } from "../../../src/core.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

const rows = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 4 ? "open" : "paid" }));
const sessionId = "conversation-1";

async function stored() {
  const { offloader } = opened();
  const result = await offloader.offload({ toolName: "list_orders", value: rows, sessionId });
  if (result.outcome !== "offloaded") throw new Error("It stayed.");
  return { offloader, result, id: result.storedArtifact.id };
}

function tool(tools: ReturnType<Offloader["tools"]>, name: string) {
  const found = tools.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No ${name}.`);
  return found;
}

describe("the tools of an offloader", () => {
  it("answers the model's calls over what its session stored, as an object or as JSON", async () => {
    const { offloader, id } = await stored();
    const jq = tool(offloader.tools(sessionId), "jq_tool_output");
    const args = { id, filter: "length", slurp: true };
    const answer = await jq.run(args);
    expect(answer).toMatchObject({ failed: false });
    expect(answer.text).toMatch(/^500\n/);
    expect(await jq.run(JSON.stringify(args))).toEqual(answer);
    expect(jq.parameters).toMatchObject({ type: "object", required: ["id", "filter"] });
  });
});

describe("resultText", () => {
  it("is the text or the JSON of what stays, and what stands for what does not", async () => {
    const { offloader, result } = await stored();
    const shown = async (value: unknown) =>
      resultText(await offloader.offload({ toolName: "small", value, sessionId }));
    expect(resultText(result)).toBe(result.text);
    expect(await shown("a text")).toBe("a text");
    expect(await shown({ n: 1 })).toBe('{"n":1}');
    expect(await shown([{ type: "text", text: "of a block" }])).toBe("of a block");
    expect(await shown(undefined)).toBe("undefined");
  });
});
