import { describe, expect, it } from "vitest";

import { createInspector, type Inspector } from "../../../src/adapters/mcp/inspector.js";
import { messageOf } from "../../../src/adapters/mcp/message.js";
import { redact as redactPlugin, type Redact } from "../../../src/plugins/redact/redact.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const SECRET = "zebra-7431-quartz";
const redact: Redact = (text) => text.replaceAll(SECRET, "[gone]");
const opened = openedOffloaders();

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
    ["tasks/get", { ...task, error: { code: -32_000, message: SECRET } }],
    ["tasks/cancel", task],
    ["tasks/list", { tasks: [task] }],
    ["tasks/get", { ...task, result: { content: [{ type: "text", text: SECRET }] } }],
    ["tasks/get", { ...task, result: SECRET }],
    ["tasks/result", SECRET],
  ])("when asked by %s is redacted", async (method, said) => {
    const { asks, answers } = inspected({ redact });
    asks(1, "tools/call", { name: "lookup" });
    await answers(1, { task: { taskId: "t1", status: "working" } });
    asks(2, method, { taskId: "t1" });
    const answer = await answers(2, said as object);
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

  it("passes as it came where nothing is redacted", async () => {
    const { asks, answers } = inspected();
    asks(1, "tasks/get", { taskId: "t1" });
    expect(await answers(1, task)).toBe(JSON.stringify({ jsonrpc: "2.0", id: 1, result: task }));
  });
});
