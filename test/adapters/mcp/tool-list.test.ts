import { afterAll, describe, expect, it } from "vitest";

import { readMessage } from "../../../src/adapters/mcp/message.js";
import {
  createOwnTools,
  protocolOptions,
  withOwnTools,
} from "../../../src/adapters/mcp/own-tools.js";
import { createOffloader } from "../../../src/core.js";
import { memoryStore } from "../../../src/core/store/memory.js";

const offloader = createOffloader({
  ...protocolOptions({ drillIn: { sql: false } }),
  store: memoryStore(),
});
const own = createOwnTools(offloader, "sessionKey");
afterAll(() => offloader.close());

/** A page of tools, as a server answers. */
const page = (result: object, hidden: string[] = []) => {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  const message = readMessage(text);
  if (message === undefined) throw new Error("no message");
  const out = withOwnTools(message, own, (name) => hidden.push(name));
  return { text, out, tools: JSON.parse(out).result.tools as { name: string }[] };
};
const tool = { name: "a", inputSchema: { type: "object" }, "x-vendor": 1 };

describe("a page of tools", () => {
  it("has output schemas that take results and descriptors alike", () => {
    const schema = { type: "object", required: ["n"], additionalProperties: false };
    const [shown] = page({ tools: [{ ...tool, outputSchema: schema }] }).tools;
    expect(shown).toEqual({ ...tool, outputSchema: { type: "object" } });
  });

  it("keeps each tool's text, unknown fields and order", () => {
    const { text, out } = page({
      ttlMs: 5,
      tools: [tool, { ...tool, name: "b" }],
      _meta: { n: 1 },
    });
    expect(out.startsWith(text.slice(0, text.indexOf("]")))).toBe(true);
    expect(out.endsWith(',"_meta":{"n":1}}}')).toBe(true);
  });
});
