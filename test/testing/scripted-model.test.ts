import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";

import { scriptedModel } from "../../src/testing/scripted-model.js";

it("a scripted model counts its turns from what the user said, not from the file that a tool showed", async () => {
  const model = scriptedModel(["first", "second", "third"]);
  const shown = [
    new HumanMessage("go"),
    new AIMessage("first"),
    new ToolMessage({ content: "see below", tool_call_id: "c" }),
  ];
  const image = { type: "image", mimeType: "image/png", data: "aGk=" };
  const file = new HumanMessage({ content: [image] });
  expect((await model.invoke([...shown, file])).text).toBe("second");
  const asked = new HumanMessage({ content: [image], id: "of the conversation" });
  for (const anew of [asked, new HumanMessage("and?")])
    expect((await model.invoke([...shown, anew])).text).toBe("first");
});
