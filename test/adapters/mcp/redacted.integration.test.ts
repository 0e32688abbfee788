import { describe, expect, it } from "vitest";

import { OFFLOAD_EXTENSION } from "../../../src/adapters/mcp/index.js";
import { createInspector, type Inspector } from "../../../src/adapters/mcp/inspector.js";
import { messageOf } from "../../../src/adapters/mcp/message.js";
import { offloadResult } from "../../../src/adapters/mcp/tool-result.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { type Redact, redact as redactPlugin } from "../../../src/plugins/redact/redact.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import type { Rpc } from "./connections.js";
import { type Handler, start } from "./scripted-http.js";
import { authorServer, CLIENT, clientOf } from "./sdk-pair.js";

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

it.each([
  ["a client on this machine", {}],
  ["a client elsewhere, which gets everything inline", { isElsewhere: true }],
  ["a proxy, which gets everything inline", { isProxy: true }],
])("what a server's own extension sends to %s is redacted", async (_name, where) => {
  const answer = await answerOf(where);
  expect(answer).toContain("hello [gone]");
  expect(answer).not.toContain(SECRET);
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

it("an error that a server answers a call of a tool with is withheld where redacting fails", async () => {
  const { asks, inspector } = inspected({ redact: () => Promise.reject(new Error("no")) });
  asks(1);
  const failed = { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: SECRET } };
  const answer = await inspector.fromServer(messageOf(JSON.stringify(failed), failed));
  expect(answer).toContain("withheld");
  expect(answer).not.toContain(SECRET);
  expect(JSON.parse(answer ?? "")).toMatchObject({ id: 1, error: { code: -32_000 } });
});

it.each([
  ["an error beside it", { result: null, error: SECRET }],
  ["a method beside it", { result: { content: [{ type: "text", text: SECRET }] }, method: "x" }],
])("an answer with %s is redacted", async (_name, members) => {
  const { asks, inspector } = inspected({ redact });
  asks(1);
  const said = { jsonrpc: "2.0", id: 1, ...members };
  const answer = await inspector.fromServer(messageOf(JSON.stringify(said), said));
  expect(answer).toBe(JSON.stringify(said).replace(SECRET, "[gone]"));
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

/** An inspector that takes plain objects. */
function inspected({ redact: given }: { readonly redact?: Redact } = {}) {
  const { offloader } = opened(given ? { plugins: [redactPlugin(given)] } : {});
  const warnings: string[] = [];
  const inspector: Inspector = createInspector({
    offloader,
    sessionId: "s",
    role: "proxy",
    warn: (sentence) => warnings.push(sentence),
  });
  const of = (message: Record<string, unknown>) => messageOf(JSON.stringify(message), message);
  return {
    warnings,
    inspector,
    asks: (id: unknown, method = "tools/call", params: object = { name: "t" }) =>
      inspector.fromClient(of({ jsonrpc: "2.0", id, method, params })),
    cancels: (requestId: unknown) =>
      inspector.fromClient(
        of({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      ),
    answers: async (id: unknown, result: object) =>
      await inspector.fromServer(of({ jsonrpc: "2.0", id, result })),
  };
}

const result = { content: [{ type: "text", text: SECRET }] };

describe("an answer that nobody waits for", () => {
  it.each<[string, (place: ReturnType<typeof inspected>) => unknown]>([
    ["since its request was cancelled", (place) => [place.asks(1), place.cancels(1)]],
    ["since there was one before", (place) => [place.asks(1), place.answers(1, {})]],
    ["since nothing was asked", () => undefined],
  ])(
    "%s is left out where results are redacted, and passes as it came elsewhere",
    async (_, do_) => {
      const redacting = inspected({ redact });
      const plain = inspected();
      for (const place of [redacting, plain]) await do_(place);
      expect(await redacting.answers(1, result)).toBeUndefined();
      expect(redacting.warnings).toEqual([expect.stringContaining("no request is waiting for")]);
      expect(await plain.answers(1, result)).toContain(SECRET);
      expect(plain.warnings).toEqual([]);
    },
  );

  it("since it has no id, or none that is one, is left out too", async () => {
    const { answers, asks } = inspected({ redact });
    asks(1);
    for (const id of [undefined, null, {}, "one"]) {
      expect(await answers(id, result)).toBeUndefined();
    }
    expect(await answers(1, result)).toContain("[gone]");
  });
});

describe("a server that writes the number of a request as a text, which clients take", () => {
  it.each([
    [4, "4"],
    [0, "0"],
    [-7, "-7"],
  ])("has answered %j with %j: redacted, and under the id that it wrote", async (asked, said) => {
    const { asks, answers, inspector } = inspected({ redact });
    asks(asked);
    asks("another");
    const answer = await answers(said, result);
    expect(JSON.parse(answer ?? "")).toMatchObject({ id: said });
    expect(answer).toContain("[gone]");
    await answers("another", result);
    expect(inspector.isPending()).toBe(false);
  });

  it("has answered the request with that very id first", async () => {
    const { asks, answers } = inspected();
    asks(4, "tools/list");
    asks("4", "ping");
    expect(await answers("4", { tools: [] })).not.toContain("read_tool_output");
    expect(await answers("4", { tools: [] })).toContain("read_tool_output");
  });
});

describe("what a server says of a task", () => {
  const task = { taskId: "t1", status: "failed", statusMessage: `No ${SECRET}.` };

  it.each([
    ["tasks/cancel", task],
    ["tasks/list", { tasks: [task] }],
    ["tasks/get", { ...task, result: { content: [{ type: "text", text: SECRET }] } }],
    ["tasks/get", { ...task, result: SECRET }],
    ["tasks/get", [SECRET]],
  ])("when asked by %s is redacted", async (method, said) => {
    const { asks, answers } = inspected({ redact });
    asks(1, "tools/call", { name: "lookup" });
    await answers(1, { task: { taskId: "t1", status: "working" } });
    asks(2, method, { taskId: "t1" });
    const answer = await answers(2, said);
    expect(answer).toContain("[gone]");
    expect(answer).not.toContain(SECRET);
  });

  it("unasked is redacted too, with the tool's name", async () => {
    const tools = new Set<string>();
    const { asks, answers, inspector } = inspected({
      redact: (text, { toolName }) => {
        tools.add(toolName);
        return text.replaceAll(SECRET, "[gone]");
      },
    });
    asks(1, "tools/call", { name: "lookup" });
    await answers(1, { task: { taskId: "t1", status: "working" } });
    const told = { jsonrpc: "2.0", method: "notifications/tasks/status", params: task };
    const shown = await inspector.fromServer(messageOf(JSON.stringify(told), told));
    expect(JSON.parse(shown ?? "")).toEqual({
      ...told,
      params: { ...task, statusMessage: "No [gone]." },
    });
    expect([...tools]).toEqual(["lookup"]);
  });

  it("is withheld where that fails: an error for who has asked, nothing for who has not", async () => {
    const { asks, answers, inspector } = inspected({
      redact: () => Promise.reject(new Error("no")),
    });
    asks(1, "tasks/get", { taskId: "t1" });
    const answer = await answers(1, task);
    expect(JSON.parse(answer ?? "")).toMatchObject({
      error: { message: expect.stringContaining("withheld") },
    });
    const told = { jsonrpc: "2.0", method: "notifications/tasks/status", params: task };
    expect(await inspector.fromServer(messageOf(JSON.stringify(told), told))).toBeUndefined();
  });
});
