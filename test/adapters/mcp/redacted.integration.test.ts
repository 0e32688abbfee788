import { describe, expect, it } from "vitest";

import { OFFLOAD_EXTENSION } from "../../../src/adapters/mcp/index.js";
import { createInspector } from "../../../src/adapters/mcp/inspector.js";
import { messageOf } from "../../../src/adapters/mcp/message.js";
import { offloadResult } from "../../../src/adapters/mcp/tool-result.js";
import type { Redact } from "../../../src/plugins/redact/redact.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import type { Rpc } from "./connections.js";
import { type Handler, start } from "./scripted-http.js";
import { authorServer, CLIENT, clientOf } from "./sdk-pair.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");
const opened = openedOffloaders();

/** A transport whose client may be anywhere: its class is none that the SDK brings for this machine. */
const elsewhere = { name: "Elsewhere" };

async function answerOf({ isElsewhere = false, isProxy = false }): Promise<string> {
  const { server } = authorServer(`hello ${SECRET}`, { plugins: [redactPlugin(redact)] });
  const extensions = { [OFFLOAD_EXTENSION]: { proxy: true } };
  const client = await clientOf(server, CLIENT, isProxy ? { extensions } : {}, (theirs) => {
    if (isElsewhere) Object.defineProperty(theirs, "constructor", { value: elsewhere });
  });
  const { tools } = await client.listTools();
  expect(tools.length > 1).toBe(!isElsewhere && !isProxy);
  return JSON.stringify(await client.callTool({ name: "hello" }));
}

describe("what a server's own extension sends", () => {
  it.each([
    ["a client on this machine", {}],
    ["a client elsewhere, which gets everything inline", { isElsewhere: true }],
    ["a proxy, which gets everything inline", { isProxy: true }],
  ])("to %s is redacted", async (_name, where) => {
    const answer = await answerOf(where);
    expect(answer).toContain("hello [gone]");
    expect(answer).not.toContain(SECRET);
  });
});

describe("a redacted result", () => {
  const call = { toolName: "t", args: undefined, toolCallId: "1", sessionId: "s" };

  it("keeps the spelling of numbers that a double does not hold, whatever is taken out beside them", async () => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const structured = `{"id":9007199254740993,"most":1e400,"note":"${SECRET}"}`;
    const json = `{"content":[{"type":"text","text":"${SECRET}"},{"type":"x","n":1e400}],"structuredContent":${structured},"_meta":{"n":12345678901234567890}}`;
    const answer = await offloadResult(offloader, json, JSON.parse(json), call);
    expect(answer).toBe(json.replaceAll(SECRET, "[gone]"));
  });

  it.each([
    ["that stays", ""],
    ["that leaves", "one two three ".repeat(9_000)],
  ])("%s is redacted once: a pseudonym is the same wherever a name stands", async (_, more) => {
    const given: [string, string][] = [];
    const { offloader } = opened({
      plugins: [
        redactPlugin((text, { part }) => {
          given.push([part, text.slice(0, 30)]);
          return text.replaceAll(/cust-(\d)/g, (_name, digit) => `cust-${Number(digit) + 1}`);
        }),
      ],
    });
    const data = { owner: "cust-1", more };
    const note = `Of cust-1: ${"y".repeat(80)}`;
    const result = {
      content: [
        { type: "text", text: JSON.stringify(data), annotations: { of: "cust-1" } },
        { type: "resource", resource: { uri: "file:///cust-1", text: note } },
      ],
      structuredContent: data,
      nextCursor: "cust-1",
    };
    const answer = await offloadResult(offloader, JSON.stringify(result), result, call);
    const { artifacts } = await offloader.store.list(sessionKeyOf("s"));
    const stored = await Promise.all(artifacts.map((one) => offloader.store.read(one)));
    const texts = `${answer}${stored.map((bytes) => Buffer.from(bytes).toString()).join("")}`;
    expect(artifacts).toHaveLength(more === "" ? 0 : 1);
    expect(texts).toContain("cust-2");
    expect(texts).not.toMatch(/cust-[13]/);
    const head = JSON.stringify(data).slice(0, 30);
    expect(given).toContainEqual(["output", head]);
    expect(given).toContainEqual(["output", note.slice(0, 30)]);
    expect(given).not.toContainEqual(["block", head]);
  });

  it("that cannot be redacted is told to the listeners, and one that is not finished is redacted too", async () => {
    const broken = opened({ plugins: [redactPlugin(() => Promise.reject(new Error("no")))] });
    const result = { content: [{ type: "text", text: SECRET }] };
    await offloadResult(broken.offloader, JSON.stringify(result), result, call);
    expect(broken.events).toMatchObject([
      { type: "plugin-failed", plugin: "redact", toolName: "t" },
    ]);
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const asked = { resultType: "input_required", note: SECRET };
    const answer = await offloadResult(offloader, JSON.stringify(asked), asked, call);
    expect(answer).not.toContain(SECRET);
  });
});

describe("an error that a server answers a call of a tool with", () => {
  it.each<[string, Redact, string]>([
    ["is redacted", redact, "[gone]"],
    ["is withheld where that fails", () => Promise.reject(new Error("no")), "withheld"],
  ])("%s", async (_name, with_, shown) => {
    const { offloader } = opened({ plugins: [redactPlugin(with_)] });
    const inspector = createInspector({ offloader, sessionId: "s", role: "proxy", warn: () => {} });
    const of = (message: Record<string, unknown>) => messageOf(JSON.stringify(message), message);
    const head = { jsonrpc: "2.0", id: 1 };
    inspector.fromClient(of({ ...head, method: "tools/call", params: { name: "t" } }));
    const error = { code: -32_000, message: `No ${SECRET}.`, data: { at: SECRET } };
    const answer = await inspector.fromServer(of({ ...head, error }));
    expect(answer).toContain(shown);
    expect(answer).not.toContain(SECRET);
    expect(JSON.parse(answer ?? "")).toMatchObject({ id: 1, error: { code: -32_000 } });
  });
});

describe("a refusal of an HTTP server", () => {
  const refused: Handler = (_, response) =>
    response.writeHead(500).end(`${"x".repeat(340)} ${SECRET} ${"y".repeat(900)}`);

  it("is redacted before it is cut, for the call that it answers and in warnings", async () => {
    const isNotice = ({ method }: Rpc): boolean => method === "notifications/of-mine";
    const { call, client, warnings } = await start(
      refused,
      (message, response, request) =>
        isNotice(message) ? refused(message, response, request) : undefined,
      { plugins: [redactPlugin(redact)] },
    );
    const { error } = await call();
    expect(error?.message).toMatch(/HTTP 500 .*x \[gone\].*…$/);
    client.notify("notifications/of-mine");
    await expect.poll(() => warnings).toEqual([expect.stringContaining("[gone]")]);
    expect(`${client.lines.join()}${warnings.join()}`).not.toContain("zebra");
  });

  it("is withheld where that fails", async () => {
    const { call } = await start(refused, () => undefined, {
      plugins: [redactPlugin(() => Promise.reject(new Error("no")))],
    });
    const { error } = await call();
    expect(error).toEqual({ code: -32_000, message: expect.stringContaining("withheld") });
  });
});
