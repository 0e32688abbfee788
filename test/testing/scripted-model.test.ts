import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";

describe("a scripted model", () => {
  it("counts its turns from what the user said, not from the file that a tool showed", async () => {
    const model = scriptedModel(["first", "second", "third"]);
    const shown = [
      new HumanMessage("go"),
      new AIMessage("first"),
      new ToolMessage({ content: "see below", tool_call_id: "c" }),
    ];
    const image = { type: "image", mimeType: "image/png", data: "aGk=" };
    const file = new HumanMessage({ content: [image] });
    expect((await model.invoke([...shown, file])).text).toBe("second");
    expect((await model.invoke([...shown, new HumanMessage("and?")])).text).toBe("first");
  });

  it.each([{ name: "search", args: {} }, 5, [], { toolCalls: "search" }])(
    "says what a turn is to one that is none: %j",
    async (turn) => {
      const model = scriptedModel([turn as unknown as ScriptedTurn]);
      await expect(model.invoke("go")).rejects.toThrow(
        /^Turn 0 of scriptedModel, counted from 0, is none\. A turn is a text, \{ toolCalls: /,
      );
    },
  );
});
