import { ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";

import { messageWith } from "../../../../src/adapters/langchain/tool/messages.js";

it("a changed message is serialized with what was set on it later, and without unknown fields", () => {
  const given = { content: "a", tool_call_id: "c", raw: "payload" };
  const message = new ToolMessage(given);
  const later = { name: "search", id: "m1", artifact: { a: 1 }, status: "error" } as const;
  const changed = messageWith(Object.assign(message, later), { content: "b" });
  const { kwargs } = changed.toJSON() as unknown as { readonly kwargs: object };
  expect(kwargs).toMatchObject({ ...later, content: "b", tool_call_id: "c" });
  expect(kwargs).not.toHaveProperty("raw");
});
