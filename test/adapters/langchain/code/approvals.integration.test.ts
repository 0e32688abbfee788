import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { memoryStore, offloadToolNode, sessionKeyOf } from "../../../../src/index.js";
import { code, code as sandbox } from "../../../../src/plugins/code/code.js";
import { type Redact, redact as redactPlugin } from "../../../../src/plugins/redact/redact.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { thread, toolNamed } from "../../agents.js";
import { handWrittenGraph } from "../../large-outputs.js";
import { answers, codeAgent, questionsOf, toolThat } from "./rig.js";

/** Code that calls a tool, says what that threw, and goes on. */
const goingOn = (call: string): string =>
  `const said = await tools.${call}.catch((error) => 'caught: ' + error.message); await tools.search_issues({ query: 'after' }); return said`;
const DELETE_AND_GO_ON = goingOn("delete_issue({ id: 'a' })");

/** A tool that asks a person before it does anything. */
function asking(accessLog: string[]) {
  const remove = ({ what }: { what: string }): string => {
    const answer: unknown = interrupt({ remove: what });
    accessLog.push(`${what} ${String(answer)}`);
    return "removed";
  };
  return toolThat("remove", remove, z.object({ what: z.string() }));
}

describe("tools that ask a person", () => {
  it.each([
    ["true", true],
    ["a condition", { allowedDecisions: ["approve"], when: () => false }],
  ])(
    "are refused where interruptOn has %s for them, and the code goes on (vercel/ai #18299, deepagents #4832)",
    async (_, rule) => {
      const { ask, accessLog, told, store } = codeAgent(DELETE_AND_GO_ON, {
        calls: { interruptOn: { delete_issue: rule } },
      });
      const result = await ask();
      expect(questionsOf(result)).toEqual([]);
      expect(answers(result.messages)[0]).toContain("caught: delete_issue is not for code");
      expect(accessLog).toEqual({ found: ["after"], deleted: [] });
      expect(told()).toEqual([
        "call_1_0.0 delete_issue refused",
        "call_1_0.1 search_issues returned",
      ]);
      expect((await store.list(sessionKeyOf("thread"))).artifacts).toEqual([]);
    },
  );

  it("are called where interruptOn has false for them, or another tool", async () => {
    const { ask, accessLog } = codeAgent(DELETE_AND_GO_ON, {
      calls: { interruptOn: { delete_issue: false, broken: true } },
    });
    await ask();
    expect(accessLog).toEqual({ found: ["after"], deleted: ["a"] });
  });

  it("by themselves are refused, and the code goes on", async () => {
    const accessLog: string[] = [];
    const { ask, told, ...rig } = codeAgent(goingOn("remove({ what: 'it' })"), {
      tools: [asking(accessLog)],
      calls: { tools: ["remove", "search_issues"] },
    });
    const result = await ask();
    expect(questionsOf(result)).toEqual([]);
    expect(answers(result.messages)[0]).toContain("caught: remove asks a person");
    expect(accessLog).toEqual([]);
    expect(rig.accessLog.found).toEqual(["after"]);
    expect(told()).toEqual(["call_1_0.0 remove refused", "call_1_0.1 search_issues returned"]);
  });

  it("by themselves do nothing either under a middleware that takes interrupts for failures", async () => {
    const accessLog: string[] = [];
    const { ask } = codeAgent("return await tools.remove({ what: 'it' }).catch(() => 'no')", {
      tools: [asking(accessLog)],
      calls: { tools: ["remove"] },
      after: [toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, jitter: false })],
    });
    const result = await ask();
    expect(answers(result.messages)[0]).toContain("no");
    expect(accessLog).toEqual([]);
  });
});

it("code refuses tools without interruptOn, and takes for it what humanInTheLoopMiddleware takes, and nothing else", () => {
  const rule = { allowedDecisions: ["approve"], description: () => "?", when: () => true };
  expect(code({ tools: ["a"], interruptOn: { a: rule, b: true, c: false } })).toMatchObject({
    name: "code",
  });
  const wrong = [["a"], { a: "approve" }, { a: null }] as never[];
  const refused = wrong.map((interruptOn) => ({ tools: ["a"], interruptOn }));
  for (const options of [{ tools: ["search"] }, { tools: [] }, ...refused])
    expect(() => code(options)).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
  expect(() => code({ tools: [] })).toThrow("{}");
});

const SECRET = "123-45-6789";
const redact = (text: string): string => text.replaceAll(SECRET, "[SSN]");

/** A tool whose result has the secret, of one record or of many. */
const people = toolThat(
  "people",
  ({ count }: { count: number }) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, ssn: SECRET, open: true }))),
  z.object({ count: z.number() }),
);

/** What code gives, whose tool `people` has results that are redacted so, and all that is stored then. */
async function redacted(program: string, given: Redact, tools: readonly string[] = ["people"]) {
  const store = memoryStore();
  const place = codeAgent(program, {
    store,
    tools: [people],
    offload: { plugins: [redactPlugin(given)] },
    calls: { tools },
    limits: { maxInlineResultBytes: 1000 },
  });
  const text = await place.answer();
  expect(text).not.toContain(SECRET);
  const { artifacts } = await store.list(sessionKeyOf("thread"));
  const kept = await Promise.all(
    artifacts.map(
      async (one) => JSON.stringify(one) + Buffer.from(await store.read(one)).toString(),
    ),
  );
  return { ...place, text, kept };
}

describe("results of tools that code calls", () => {
  it("are redacted before the code sees them, and before bodies are written", async () => {
    const { kept, accessLog } = await redacted(
      `const [few] = await tools.people({ count: 1 });
       let many; for (const one of await tools.people({ count: 900 })) many = one.ssn;
       return await tools.delete_issue({ id: few.ssn + many })`,
      redact,
      ["people", "delete_issue"],
    );
    expect(kept).toHaveLength(1);
    expect(kept.join()).toContain("[SSN]");
    expect(kept.join()).not.toContain(SECRET);
    expect(accessLog.deleted).toEqual(["[SSN][SSN]"]);
  });

  it.each([1, 900])("are redacted once: of %i records", async (count) => {
    const program = `for (const { ssn } of await tools.people({ count: ${count} })) return ssn`;
    const once = (text: string): string => redact(text).replaceAll("[SSN]", "#[SSN]");
    expect((await redacted(program, once)).text).toBe("#[SSN]");
  });

  it.each([1, 900])(
    "that cannot be redacted are an exception in the code, of which the listeners hear: of %i records",
    async (count) => {
      const program = `return await tools.people({ count: ${count} }).catch((error) => error.message)`;
      const failing = (): never => Promise.reject(new Error("no")) as never;
      const { text, events, told, kept } = await redacted(program, failing);
      expect(text).toContain("The output of people is withheld");
      expect(told()).toEqual(["call_1_0.0 people refused"]);
      expect(events).toContainEqual(
        expect.objectContaining({ type: "plugin-failed", plugin: "redact", toolName: "people" }),
      );
      expect(kept).toEqual([]);
    },
  );

  it("that code makes and cannot be redacted are not stored, and the code is told not to try again", async () => {
    const { text, kept } = await redacted(
      `const told = [];
       try { outputs.save("few", [{ ssn: "${SECRET}" }]) } catch (error) { told.push(error.message) }
       return told.join();`,
      (given, { part }) => {
        if (part === "line" || part === "record") throw new Error(`no pattern for ${given}`);
        return redact(given);
      },
    );
    expect(text).toContain("withheld and not stored");
    expect(kept).toEqual([]);
  });
});

const opened = openedOffloaders();
const schema = z.object({ what: z.string() });

it("a person's answer to another call of the message never reaches a tool that code called", async () => {
  const accessLog: string[] = [];
  let isRefused = (): void => {};
  let refused = Promise.resolve();
  const remove = toolNamed(
    "remove",
    async ({ what }) => {
      // The direct call asks when the code has had its turn.
      if (what === "direct") await refused;
      accessLog.push(`${what} ${String(interrupt(what))}`);
      return "removed";
    },
    schema,
  );
  const { offloader } = opened({
    plugins: [sandbox({ tools: ["remove"], interruptOn: {} })],
    onEvent: ({ type }) => type === "tool-called" && isRefused(),
  });
  const node = offloadToolNode([remove], { offloader });
  const code = "return await tools.remove({ what: 'code' }).catch(() => 'refused')";
  const both = [
    { name: "code_tool_output", args: { code } },
    { name: "remove", args: { what: "direct" } },
  ];
  const model = scriptedModel([{ toolCalls: both }, "Done."]);
  const graph = handWrittenGraph(model, node.tools, node).compile({
    checkpointer: new MemorySaver(),
  });
  const invoke = async (input: unknown) => {
    refused = new Promise((resolve) => (isRefused = resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a graph is given, or a command.
    const given = input as { messages: BaseMessage[] };
    return await graph.invoke(given, thread("thread"));
  };
  expect(questionsOf(await invoke({ messages: [new HumanMessage("go")] }))).toEqual(["direct"]);
  const { messages } = await invoke(new Command({ resume: "yes" }));
  expect(accessLog).toEqual(["direct yes"]);
  expect(answers(messages)[0]).toContain("refused");
});
