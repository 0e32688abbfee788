import { interrupt } from "@langchain/langgraph";
import { toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { code } from "../../../../src/plugins/code/code.js";
import { sessionKeyOf } from "../../../../src/index.js";
import { answers, codeAgent, questionsOf, toolThat } from "./rig.js";

const DELETE_AND_GO_ON =
  "const said = await tools.delete_issue({ id: 'a' }).catch((error) => 'caught: ' + error.message); await tools.search_issues({ query: 'after' }); return said";

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
    ["the decisions that are allowed", { allowedDecisions: ["approve"] }],
    ["a condition", { allowedDecisions: ["approve"], when: () => false }],
    ["an object that has nothing", {}],
  ])(
    "are refused where interruptOn has %s for them, and the code goes on (vercel/ai #18299, deepagents #4832)",
    async (_, rule) => {
      const { ask, accessLog, told, store } = codeAgent(DELETE_AND_GO_ON, {
        calls: { interruptOn: { delete_issue: rule } },
      });
      const result = await ask();
      expect(questionsOf(result)).toEqual([]);
      expect(answers(result.messages)[0]).toContain("caught: delete_issue needs");
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
    const { ask, told, ...rig } = codeAgent(
      "const said = await tools.remove({ what: 'it' }).catch((error) => 'caught: ' + error.message); await tools.search_issues({ query: 'after' }); return said",
      { tools: [asking(accessLog)], calls: { tools: ["remove", "search_issues"] } },
    );
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

describe("code", () => {
  it.each([{ tools: ["search"] }, { tools: [] }])(
    "refuses tools without interruptOn, as in %j",
    (options) => {
      expect(() => code(options)).toThrow(
        expect.objectContaining({
          code: "INVALID_OPTIONS",
          message: expect.stringContaining("{}"),
        }),
      );
    },
  );

  it("takes what humanInTheLoopMiddleware takes, and nothing else", () => {
    const rule = { allowedDecisions: ["approve"], description: () => "?", when: () => true };
    const interruptOn = { a: rule, b: true, c: false };
    expect(code({ tools: ["a"], interruptOn })).toMatchObject({ name: "code" });
    for (const interruptOn of [["a"], { a: "approve" }, { a: null }] as never[]) {
      expect(() => code({ tools: ["a"], interruptOn })).toThrow(
        expect.objectContaining({ code: "INVALID_OPTIONS" }),
      );
    }
  });
});
