import { AIMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { listRows, receiver, storedIn } from "../../receiving-tool.js";
import { aged, idsShown, pages, readPage, rigOf, toolContents } from "./rig.js";
import { calling } from "../../agents.js";

/** A middleware that does something with an answer that calls `send_report`. */
function guard(
  other: (answer: AIMessage, again: () => Promise<unknown>) => unknown,
): AgentMiddleware {
  return createMiddleware({
    name: "guard",
    async wrapModelCall(request, handler) {
      const answer = await handler(request);
      const isReport =
        AIMessage.isInstance(answer) && answer.tool_calls?.[0]?.args["title"] === "bad";
      return (isReport ? await other(answer, async () => await handler(request)) : answer) as never;
    },
  });
}

const PAGES = 6;
/** The model call that makes the report, among the others. */
const REPORT = PAGES + 1;

/** An agent that wants to send a stored output in the very call before which results leave. */
function reportingRig(middleware: AgentMiddleware): ReturnType<typeof rigOf> & {
  readonly given: ReturnType<typeof receiver>["given"];
} {
  const { given, sendReport } = receiver();
  let asked = 0;
  const rig = rigOf(
    [
      calling("list_rows"),
      ...pages(PAGES),
      (messages) => {
        asked += 1;
        const args = {
          title: asked === 1 ? "bad" : "good",
          rows: { $output: storedIn(messages).id },
        };
        return { toolCalls: [{ name: "send_report", args, id: `report_${asked}` }] };
      },
      "Done.",
    ],
    { tools: [readPage, listRows, sendReport], before: [middleware] },
  );
  return { ...rig, given };
}

describe("an answer that another middleware does not let through", () => {
  const cases: readonly [string, Parameters<typeof guard>[0], readonly string[]][] = [
    ["is refused", () => new AIMessage("I cannot do that."), []],
    [
      "is written anew",
      ({ tool_calls: [call] = [] }) =>
        new AIMessage({
          content: "",
          tool_calls: call ? [{ ...call, args: { ...call.args, title: "safe" } }] : [],
        }),
      ["safe"],
    ],
    ["is asked for again", (_answer, again) => again(), ["good"]],
  ];

  it.each(cases)("and that %s calls no tool, though results leave before it", async (...given) => {
    const [, other, titles] = given;
    const rig = reportingRig(guard(other));
    const messages = await rig.send("Read and report.");
    expect(idsShown(rig.model.requests[REPORT - 1])).toEqual([]);
    expect(aged(rig.events).length).toBeGreaterThan(0);
    expect(rig.given.map(({ title }) => title)).toEqual(titles);
    const calls = messages.flatMap((message) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
    );
    expect(
      calls.filter(({ name }) => name === "send_report").map(({ args }) => args["title"]),
    ).toEqual(titles);
    // What left in that call stays away, and whole in the state.
    const shown = idsShown(rig.model.requests[REPORT]);
    const asked = rig.model.requests.length;
    await rig.send("More.");
    expect(shown).toHaveLength(5);
    expect(idsShown(rig.model.requests[asked])).toEqual(shown);
    expect(toolContents(messages).some((text) => String(text).startsWith("[aged"))).toBe(false);
  });
});
