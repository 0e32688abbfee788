import type { StructuredTool } from "@langchain/core/tools";
import { createAgent, createMiddleware } from "langchain";
import { expect, it } from "vitest";
import * as z from "zod";

import { referring } from "../../../referring.js";
import { offloadMiddleware } from "../../../../src/index.js";
import {
  FIRST_REFERENCE_NOTE,
  REFERENCE_NOTE,
} from "../../../../src/plugins/references/reference.js";
import { scriptedModel, type ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { lastTool, listRows, receiver, rows, storedIn, thread } from "../../receiving-tool.js";
import { definitionOf, question } from "./usual-agent.js";
import { agentOf, calling, toolNamed } from "../../agents.js";

const opened = openedOffloaders();
type Middleware = ReturnType<typeof offloadMiddleware>;

/** What models were told of a tool's parameter, in order. */
function observer(toolName: string, parameter: string) {
  const told: unknown[] = [];
  const middleware = createMiddleware({
    name: "observer",
    wrapModelCall(request, handler) {
      const shown = request.tools.find(({ name }) => name === toolName);
      const definition = shown && definitionOf(shown as StructuredTool);
      const { parameters } = definition as { parameters: { properties: Record<string, object> } };
      told.push(Reflect.get(parameters.properties[parameter] ?? {}, "description"));
      return handler(request);
    },
  });
  return { told, middleware };
}

const passing: ScriptedTurn[] = [
  calling("list_rows"),
  (messages) => calling("send_report", { rows: { $output: storedIn(messages).id } }),
];

async function pass(middleware: Middleware, tools: readonly StructuredTool[], id: string) {
  const agent = createAgent({
    model: scriptedModel(passing),
    tools: [...tools],
    middleware: [middleware],
  });
  return (await agent.invoke(question, thread(id))).messages;
}

it("agents that share a middleware judge their tools by what they are, and not by another agent's of the same name", async () => {
  const { given, sendReport } = receiver();
  const other = receiver(z.object({ number: z.number() }));
  const middleware = offloadMiddleware({ offloader: opened(referring("auto")).offloader });
  await pass(middleware, [listRows, sendReport], "one");
  await createAgent({
    model: scriptedModel(["hello"]),
    tools: [other.sendReport],
    middleware: [middleware],
  }).invoke(question, thread("other"));
  const messages = await pass(middleware, [listRows, sendReport], "two");
  expect(lastTool(messages).text).toBe("sent");
  expect(given).toEqual([{ rows }, { rows }]);
});

it("a conversation whose tools are made anew for each call of its model has the same definitions in every call", async () => {
  const make = (): StructuredTool[] =>
    ["write", "send_report", "draw", "plot", "save", "keep"].map((name) =>
      toolNamed(name, () => "ok", z.object({ rows: z.array(z.any()) })),
    );
  const dynamic = createMiddleware({
    name: "dynamic",
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: [...request.tools, ...make()] }),
    wrapToolCall: (request, handler) => {
      const made = make().find(({ name }) => name === request.toolCall.name);
      return handler(made === undefined ? request : { ...request, tool: made });
    },
  });
  const first = observer("write", "rows");
  const second = observer("send_report", "rows");
  const last = observer("keep", "rows");
  const { offloader } = opened(referring("auto"));
  const agent = agentOf(
    [...passing, ...passing],
    [listRows],
    { offloader },
    {
      before: [dynamic],
      after: [first, second, last].map(({ middleware }, index) => ({
        ...middleware,
        name: `observer ${index}`,
      })),
    },
  );
  const { messages } = await agent.invoke(question, { ...thread("t"), recursionLimit: 60 });
  expect(lastTool(messages).text).toBe("ok");
  expect(first.told).toEqual(Array.from({ length: 5 }, () => FIRST_REFERENCE_NOTE));
  expect(second.told).toEqual(Array.from({ length: 5 }, () => REFERENCE_NOTE));
  expect(last.told).toEqual(Array.from({ length: 5 }, () => undefined));
});

it("a tool that a middleware after this one supplies is given a text where its schema wants one", async () => {
  const { given, sendReport } = receiver(z.object({ rows: z.string() }));
  const { offloader } = opened(referring({ send_report: true }));
  const agent = agentOf(
    passing,
    [listRows],
    { offloader },
    {
      before: [
        createMiddleware({
          name: "shows",
          wrapModelCall: (request, handler) =>
            handler({ ...request, tools: [...request.tools, sendReport] }),
        }),
      ],
      after: [
        createMiddleware({
          name: "supplies",
          wrapToolCall: (request, handler) =>
            handler(request.tool === undefined ? { ...request, tool: sendReport } : request),
        }),
      ],
    },
  );
  const { messages } = await agent.invoke(question, thread("t"));
  expect(lastTool(messages).text).toBe("sent");
  expect(given).toEqual([{ rows: JSON.stringify(rows) }]);
});
