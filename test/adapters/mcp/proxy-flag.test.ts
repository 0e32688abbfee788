import { expect, it } from "vitest";

import { type Message, readMessage } from "../../../src/adapters/mcp/message.js";
import { isFromProxy, withProxyFlag } from "../../../src/adapters/mcp/proxy-flag.js";

const request = (method: string, params?: object): Message =>
  readMessage(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))!;

it.each([
  ["initialize", { clientInfo: { name: "c" }, capabilities: {} }],
  ["tools/list", undefined],
  ["tools/list", { _meta: { "io.modelcontextprotocol/clientInfo": { name: "c" } } }],
  ["tools/call", { name: "t", _meta: { progressToken: 1 } }],
])("a proxy says in %s that it is one", (method, params) => {
  const message = request(method, params);
  expect(isFromProxy(message)).toBe(false);
  const flagged = readMessage(withProxyFlag(message));
  expect(flagged && isFromProxy(flagged)).toBe(true);
  expect(flagged?.params).toMatchObject(params ?? {});
});

it("other requests pass as they came", () => {
  const message = request("resources/list", { cursor: "c" });
  expect(withProxyFlag(message)).toBe(message.text);
});
