import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";

import { contextOf } from "../../../../src/adapters/langchain/model-call/context.js";
import { contractArtifact } from "../../../../src/testing/store-contract/contract-artifact.js";

const stored = { ...contractArtifact(0), sizeBytes: 80_000, tokens: 20_000 };
const response_metadata = { "langchain-offload": [stored] };

it.each([
  new HumanMessage({ content: "A descriptor.", response_metadata }),
  new ToolMessage({
    content: "A descriptor.",
    tool_call_id: "c",
    artifact: { its: "own" },
    response_metadata,
  }),
])("without the library a context has all that $type messages point to", (message) => {
  const { withoutTokens } = contextOf({ messages: [message] } as never, 0, new Set());
  expect(withoutTokens).toBe(20_000);
});
