import type { ToolMessage } from "@langchain/core/messages";
import { DynamicTool, type StructuredToolInterface, tool } from "@langchain/core/tools";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import {
  withOffload,
  type WithOffloadOptions,
} from "../../../src/adapters/langchain/with-offload.js";

const search = tool(({ query }: { query: string }) => `results of ${query}`, {
  name: "search",
  description: "Searches.",
  schema: z.object({ query: z.string() }),
});

describe("a wrapped tool", () => {
  it("has the type of the given one", () => {
    expectTypeOf(withOffload(search)).toEqualTypeOf(search);
    expectTypeOf(withOffload(search, { trace: "descriptor" }).name).toEqualTypeOf<"search">();
  });

  it("takes the arguments of the given one and no others", () => {
    type Input = Parameters<ReturnType<typeof withOffload<typeof search>>["invoke"]>[0];
    expectTypeOf<{ query: string }>().toExtend<Input>();
    expectTypeOf<{ question: string }>().not.toExtend<Input>();
  });

  it("answers a tool call as the given one does", () => {
    const call = { type: "tool_call", name: "search", args: { query: "?" }, id: "c1" } as const;
    expectTypeOf(withOffload(search).invoke(call)).resolves.toExtend<ToolMessage | string>();
  });

  it("is made of tools of every kind, and of nothing else", () => {
    const simple = new DynamicTool({ name: "now", description: "The time.", func: async () => "" });
    expectTypeOf(withOffload(simple)).toEqualTypeOf(simple);
    expectTypeOf(
      withOffload<StructuredToolInterface>,
    ).returns.toEqualTypeOf<StructuredToolInterface>();
    expectTypeOf<() => string>().not.toExtend<Parameters<typeof withOffload>[0]>();
  });

  it("has options of its own and those of an offloader", () => {
    expectTypeOf<{ trace: "none" }>().not.toExtend<WithOffloadOptions>();
    expectTypeOf<{ treshold: 1 }>().not.toExtend<WithOffloadOptions>();
    expectTypeOf<{ trace: "descriptor"; enabled: true }>().toExtend<WithOffloadOptions>();
  });
});
