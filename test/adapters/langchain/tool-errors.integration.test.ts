import { Readable } from "node:stream";

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  MiddlewareError,
  tool,
  toolRetryMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  memoryStore,
  type Offloader,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
} from "../../../src/index.js";
import { redact, type Redact } from "../../../src/plugins/redact/redact.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";
import { agentOf, calling, toolNamed } from "../agents.js";
import { toolMessages } from "../large-outputs.js";

const opened = openedOffloaders();
const offloader = sharedOffloader();

type Tool = Parameters<typeof withOffload>[0];

const schema = z.object({ who: z.string().optional() });
const toolThat = (run: () => unknown, more: object = {}): Tool =>
  tool(run as () => string, { name: "look_up", description: "Looks up.", schema, ...more });
const call = { name: "look_up", args: { who: "alice" } };

/** What the model is told of the call. */
async function told(
  tools: readonly Tool[],
  middleware: readonly AgentMiddleware[],
): Promise<ToolMessage | undefined> {
  const model = scriptedModel([{ toolCalls: [call] }]);
  const agent = createAgent({ model, tools: [...tools] as StructuredTool[], middleware });
  return toolMessages((await agent.invoke({ messages: "Who?" })).messages)[0];
}

async function toldByNode(subject: Tool, own = offloader): Promise<ToolMessage | undefined> {
  const answer = new AIMessage({ content: "", tool_calls: [{ ...call, id: "1" }] });
  const node = offloadToolNode([subject as never], { offloader: own });
  const { messages }: { messages: BaseMessage[] } = await node.invoke({ messages: [answer] });
  return toolMessages(messages)[0];
}

describe("an error that a middleware throws of its own accord", () => {
  const SECRET = "tenant 4711";
  const thrown = new Error(`The budget of ${SECRET} is used up.`);
  const budget = createMiddleware({
    name: "budget",
    wrapToolCall: () => {
      throw thrown;
    },
  });
  const subject = toolThat(() => "found");

  it("ends the run inside of this one as it does alone", async () => {
    for (const outside of [[], [offloadMiddleware({ offloader })]]) {
      const ended = await told([subject], [...outside, budget]).catch((error: unknown) => error);
      expect(ended).toBeInstanceOf(MiddlewareError);
      expect(ended).toMatchObject({ cause: thrown });
    }
  });

  it("is redacted", async () => {
    const middleware = offloadMiddleware({
      store: memoryStore(),
      plugins: [redact((text) => text.replaceAll(SECRET, "[gone]"))],
    });
    await expect(told([subject], [middleware, budget])).rejects.toThrow(
      "The budget of [gone] is used up.",
    );
  });
});

it.each<[string, (tool: Tool, own: Offloader) => Promise<unknown>]>([
  [
    "tool node that passes errors on",
    (subject, own) => {
      const given = new ToolNode([subject as never], { handleToolErrors: false });
      const calls = [{ ...call, id: "1" }];
      const messages = [new AIMessage({ content: "", tool_calls: calls })];
      return offloadToolNode(given, { offloader: own }).invoke({ messages });
    },
  ],
  ["wrapped tool", (subject, own) => withOffload(subject, { offloader: own }).invoke({} as never)],
  [
    "stream, as callbacks see it",
    async (subject, own) => {
      async function* failing() {
        yield await subject.invoke({} as never);
      }
      const streaming = toolThat(() => Readable.from(failing()));
      const seen: unknown[] = [];
      const config = { callbacks: [{ handleToolError: (error: unknown) => seen.push(error) }] };
      const wrapped = withOffload(streaming, { offloader: own, trace: "descriptor" });
      await wrapped.invoke({} as never, config as never).catch(() => undefined);
      return seen[0];
    },
  ],
])("what a tool throws in a %s is redacted, and of the same class", async (_, run) => {
  const { offloader: own } = opened({
    plugins: [redact((text) => text.replaceAll("alice", "[gone]"))],
  });
  const thrown = new RangeError("No row of alice.");
  const told = await run(
    toolThat(() => Promise.reject(thrown)),
    own,
  ).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(RangeError);
  expect(told).toMatchObject({ message: "No row of [gone]." });
  expect((told as Error).stack).not.toContain("alice");
});

describe("an error that an application throws in the calls of many", () => {
  class Unavailable extends Error {
    readonly status = 503;
  }

  it.each([
    [
      "class",
      Object.freeze(new Unavailable("flaky")),
      (error: Error) => error instanceof Unavailable,
    ],
    [
      "own code",
      new DOMException("too late", "TimeoutError"),
      (error: Error) => Reflect.get(error, "code") === DOMException.TIMEOUT_ERR,
    ],
    [
      "cause",
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      }),
      ({ cause }: Error) => cause instanceof Error && Reflect.get(cause, "code") === "ECONNRESET",
    ],
  ])(
    "stays as it was, and a retry on either side knows it by its %s",
    async (_, shared, retryOn) => {
      const { message, stack } = shared;
      let attempts = 0;
      const failing = toolThat(() => {
        attempts += 1;
        throw shared;
      });
      const options = { maxRetries: 2, initialDelayMs: 1, retryOn, onFailure: "error" } as const;
      const retry: never = toolRetryMiddleware(options) as never;
      const own = offloadMiddleware({ offloader });
      for (const middleware of [
        [own, retry],
        [retry, own],
      ]) {
        attempts = 0;
        const answer = await told([failing], middleware);
        expect(attempts).toBe(3);
        // After the last attempt it is the model's to mend, as in an agent without middleware.
        const content = `${shared.name}: ${message}\n Please fix your mistakes.`;
        expect(answer).toMatchObject({ status: "error", content });
      }
      expect({ message: shared.message, stack: shared.stack }).toEqual({ message, stack });
      expect(Reflect.ownKeys(shared)).not.toContain("toolCall");
    },
  );

  it("is the very one where a run was aborted for it", async () => {
    const reason = new Error("the user went away");
    const controller = new AbortController();
    const failing = toolThat(() => {
      controller.abort(reason);
      throw reason;
    });
    const agent = agentOf([{ toolCalls: [call] }], [failing], { offloader });
    const run = agent.invoke({ messages: "Who?" }, { signal: controller.signal });
    await expect(run).rejects.toBe(reason);
  });
});

describe("an error of more than 8,000 characters", () => {
  const page = `HTTP 500: ${"<p>".repeat(200_000)} at the last line`;
  const failing = toolThat(() => {
    throw new Error(page);
  });
  const plain = toolThat(() => Promise.reject({ message: page }));
  const returning = toolThat(
    () => new ToolMessage({ content: page, status: "error", tool_call_id: "1", name: "look_up" }),
  );
  const blocks = [
    { type: "text", text: page.slice(0, 400_000) },
    { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
    { type: "text", text: page.slice(400_000) },
  ];
  const inBlocks = toolThat(
    () => new ToolMessage({ content: blocks, status: "error", tool_call_id: "1", name: "look_up" }),
  );
  const own = offloadMiddleware({ offloader });

  it.each<[string, () => Promise<ToolMessage | undefined>]>([
    ["the middleware", () => told([failing], [own])],
    ["the middleware, returned", () => told([returning], [own])],
    ["the middleware, in blocks", () => told([inBlocks], [own])],
    ["the tool node", () => toldByNode(failing)],
    [
      "the tool node, of a tool that answers the user",
      () => toldByNode(toolThat(() => Promise.reject(new Error(page)), { returnDirect: true })),
    ],
    ["withOffload", () => told([withOffload(failing, { offloader })], [])],
    ["withOffload in the middleware", () => told([withOffload(failing, { offloader })], [own])],
    ["withOffload, of a plain object", () => told([withOffload(plain, { offloader })], [])],
  ])("reaches the model without its middle (%s)", async (_, tell) => {
    const message = await tell();
    expect(message?.status).toBe("error");
    expect(message?.text).toContain("HTTP 500: <p><p>");
    expect(message?.text).toMatch(/^[^[]+\[cut: this error has 600,0\d\d characters[^[]+$/);
    expect(message?.text).toContain("<p> at the last line");
    expect(message?.text.length).toBeLessThan(8_200);
  });

  it.each([null, undefined, "no row"])("says that a tool threw %s", async (thrown) => {
    const odd = toolThat(() => Promise.reject(thrown));
    expect((await told([odd], [own]))?.text).toMatch(new RegExp(`^${thrown}\n Please fix`));
  });

  it("is still of wrong arguments, after which an agent with other middleware goes on", async () => {
    const schema = z.object({ ids: z.array(z.number()) });
    const strict = toolNamed("look_up", () => "found", schema);
    const ids = Array.from({ length: 500 }, (_, index) => `id ${index}`);
    const other = createMiddleware({
      name: "other",
      wrapToolCall: async (request, handler) => await handler(request),
    });
    const agent = createAgent({
      model: scriptedModel([calling("look_up", { ids })]),
      tools: [withOffload(strict, { offloader })],
      middleware: [other],
    });
    const { messages } = await agent.invoke({ messages: "Who?" });
    expect(messages.find((message) => ToolMessage.isInstance(message))?.status).toBe("error");
  });

  it("reaches it whole where offloading is off", async () => {
    const { offloader: off } = opened({ enabled: false });
    expect((await told([returning], [offloadMiddleware({ offloader: off })]))?.text).toBe(page);
  });
});

const SECRET = "zebra-7431-quartz";
const privateRedact: Redact = (text) => text.replaceAll(SECRET, "[gone]");

const failing = toolThat(() => {
  throw new Error(`no row for ${SECRET}`);
});
const broken: Redact = () => {
  throw new Error("broken");
};

it.each([
  ["redacted", privateRedact, "no row for [gone]"],
  ["withheld where that fails", broken, "withheld"],
])("a tool's error is %s in an agent and a node", async (_how, given, wanted) => {
  const { offloader: own } = opened({ plugins: [redact(given)] });
  for (const error of [
    await told([failing], [offloadMiddleware({ offloader: own })]),
    await toldByNode(failing, own),
  ]) {
    expect(error).toMatchObject({ status: "error", text: expect.stringContaining(wanted) });
    expect(error?.text).not.toContain(SECRET);
  }
});

it("an error whose class leaves its message out is told as it is, and thrown by a wrapped tool", async () => {
  const bare = Object.assign(new Error("gone"), { message: undefined });
  const subject = toolThat(() => Promise.reject(bare));
  const plugins = [redact((text) => text)];
  const shown = await told([subject], [offloadMiddleware({ plugins, store: memoryStore() })]);
  expect(shown?.text).toMatch(/^Error\n/);
  await expect(withOffload(subject, { offloader }).invoke({} as never)).rejects.toBe(bare);
});

describe("a tool with returnDirect", () => {
  const secrets: Readonly<Record<string, (callId: string) => unknown>> = {
    "its text": () => `row of ${SECRET}`,
    "its error": () => {
      throw new Error(`no row for ${SECRET}`);
    },
    "its error as a message": (tool_call_id) =>
      new ToolMessage({ content: `no row for ${SECRET}`, status: "error", tool_call_id }),
    "its command": (tool_call_id) =>
      new Command({ update: { messages: [new ToolMessage({ content: SECRET, tool_call_id })] } }),
  };

  it.each(Object.entries(secrets))("has %s redacted, and never offloaded", async (_what, give) => {
    const pad = " and so on".repeat(3_000);
    const direct = tool(
      (_given: object, { toolCall }: { toolCall?: { id?: string } }) => {
        const given = give(toolCall?.id ?? "");
        return (typeof given === "string" ? given + pad : given) as string;
      },
      { name: "find_row", description: "Finds.", schema: z.object({}), returnDirect: true },
    );
    const { offloader } = opened({ plugins: [redact(privateRedact)] });
    const call = { id: "1", name: "find_row", args: {}, type: "tool_call" as const };
    const asking = { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
    const agent = agentOf([{ toolCalls: [call] }], [direct], { offloader });
    const shown = await Promise.all([
      agent.invoke({ messages: "Which?" }),
      offloadToolNode([direct], { offloader }).invoke(asking),
      ...["original" as const, "descriptor" as const].map(async (trace) => {
        const node = new ToolNode([withOffload(direct, { offloader, trace })]);
        const isThrown = _what === "its error";
        return isThrown ? undefined : ((await node.invoke(asking)) as unknown);
      }),
    ]);
    const texts = shown.filter(Boolean).map((state) => JSON.stringify(state));
    expect(texts).toHaveLength(_what === "its error" ? 2 : 4);
    for (const text of texts) {
      expect(text).toContain("[gone]");
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("offloaded");
    }
  });
});
