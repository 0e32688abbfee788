import type { ToolMessage } from "@langchain/core/messages";
import type { MessageContent } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import {
  DynamicTool,
  StructuredTool,
  type StructuredToolInterface,
  tool,
} from "@langchain/core/tools";
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
const rows = tool(() => ({ rows: [1, 2] }), {
  name: "rows",
  description: "Rows.",
  schema: z.object({}),
});

class Own extends StructuredTool {
  override name = "own";
  override description = "One's own class.";
  override schema = z.object({ at: z.number() });
  readonly service = "https://example.test";

  protected override async _call(): Promise<{ found: boolean }> {
    return { found: true };
  }
}

describe("a wrapped tool", () => {
  it("has the name and the arguments of the given one", () => {
    expectTypeOf(withOffload(search)).toEqualTypeOf(search);
    expectTypeOf(withOffload(search, { trace: "descriptor" }).name).toEqualTypeOf<"search">();
    expectTypeOf(withOffload(rows).name).toEqualTypeOf<"rows">();
    type Input = Parameters<ReturnType<typeof withOffload<typeof search>>["invoke"]>[0];
    expectTypeOf<{ query: string }>().toExtend<Input>();
    expectTypeOf<{ question: string }>().not.toExtend<Input>();
  });

  it("gives what the given one gives, or a text that stands for it", () => {
    const given = withOffload(rows).invoke({});
    expectTypeOf(given).resolves.toEqualTypeOf<{ rows: number[] } | MessageContent>();
    expectTypeOf(withOffload(search).invoke({ query: "?" })).resolves.toEqualTypeOf<string>();
    expectTypeOf(withOffload(new Own()).invoke({ at: 1 })).resolves.toBeAny();
  });

  it("answers a tool call as the given one does", () => {
    const call = { type: "tool_call", name: "search", args: { query: "?" }, id: "c1" } as const;
    expectTypeOf(withOffload(search).invoke(call)).resolves.toExtend<ToolMessage | string>();
    expectTypeOf(withOffload(rows).invoke({ ...call, args: {} })).resolves.toExtend<ToolMessage>();
  });

  it("is made of tools of every kind, and of nothing else", () => {
    const simple = new DynamicTool({ name: "now", description: "The time.", func: async () => "" });
    expectTypeOf(withOffload(simple)).toEqualTypeOf(simple);
    expectTypeOf(withOffload(new Own()).service).toEqualTypeOf<string>();
    expectTypeOf(
      withOffload<StructuredToolInterface>,
    ).returns.toEqualTypeOf<StructuredToolInterface>();
    expectTypeOf<DynamicStructuredTool>().toExtend<Parameters<typeof withOffload>[0]>();
    expectTypeOf<() => string>().not.toExtend<Parameters<typeof withOffload>[0]>();
  });

  it("has options of its own and those of an offloader", () => {
    expectTypeOf<{ trace: "none" }>().not.toExtend<WithOffloadOptions>();
    expectTypeOf<{ trace: "descriptor"; enabled: true }>().toExtend<WithOffloadOptions>();
    // @ts-expect-error -- there is no such option.
    withOffload(search, { treshold: { tokens: 1 } });
  });
});
