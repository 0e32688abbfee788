import { parseCallbackConfigArg } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  DynamicStructuredTool,
  DynamicTool,
  StructuredTool,
  Tool as TextTool,
} from "@langchain/core/tools";

import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { type CallSite, siteOfTool } from "../run/session.js";

export interface ToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

export function isToolLike<Tool>(tool: Tool): tool is Tool & ToolLike {
  return typeof fieldOf(tool, "name") === "string" && typeof fieldOf(tool, "invoke") === "function";
}

export interface PassingCall {
  readonly site: CallSite;
  readonly config: unknown;
  readonly run: (changed?: {
    readonly args?: unknown;
    readonly config?: unknown;
  }) => Promise<unknown>;
}

export function aroundCall<Tool extends ToolLike>(
  tool: Tool,
  methods: readonly ("invoke" | "call" | "_call")[],
  around: (call: PassingCall) => Promise<unknown>,
  properties: Readonly<Record<string, unknown>> = {},
): Tool {
  const replaced = methods.map((method) => {
    const place = method === "_call" ? 2 : 1;
    const replacement = async (...given: readonly unknown[]): Promise<unknown> => {
      const input = given[0];
      const isCall = method !== "_call" && isRecord(input) && input["type"] === "tool_call";
      // In place of a config, LangChain's `call` takes callbacks.
      const config: unknown =
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it looks at what it is given
        method === "call" ? parseCallbackConfigArg(given[1] as RunnableConfig) : given[place];
      const site = siteOfTool(tool, isCall ? input["args"] : input, config);
      return await around({
        site:
          isCall && typeof input["id"] === "string" ? { ...site, toolCallId: input["id"] } : site,
        config,
        run: async (changed = {}) => {
          const passed = [...given];
          if ("args" in changed)
            passed[0] = isCall ? { ...input, args: changed.args } : changed.args;
          passed[place] = changed.config ?? config;
          const original: unknown = Reflect.get(tool, method);
          if (typeof original === "function") return await Reflect.apply(original, tool, passed);
          throw new TypeError(`${tool.name} has no ${method}.`);
        },
      });
    };
    return [method, replacement] as const;
  });
  return copyWith(tool, { ...Object.fromEntries(replaced), ...properties });
}

export function copyWith<Tool extends object>(
  tool: Tool,
  properties: Readonly<Record<string, unknown>>,
): Tool {
  const copy: Tool = Object.create(tool);
  for (const [key, value] of Object.entries(properties)) {
    Object.defineProperty(copy, key, { value, enumerable: typeof value !== "function" });
  }
  return new Proxy(copy, {
    // A getter of the tool's class may read what only that very tool has, such as a private field.
    get: (own, key): unknown => Reflect.get(Object.hasOwn(own, key) ? own : tool, key),
  });
}

const CLASSES: readonly { readonly prototype: object }[] = [
  StructuredTool,
  TextTool,
  DynamicTool,
  DynamicStructuredTool,
];

export function isCalledByLangChain(tool: object): tool is ToolLike {
  return (
    typeof Reflect.get(tool, "_call") === "function" &&
    ["invoke", "call"].every((method) =>
      CLASSES.some(({ prototype }) => Reflect.get(tool, method) === Reflect.get(prototype, method)),
    )
  );
}

export function returnsDirect(tool: unknown): boolean {
  return fieldOf(tool, "returnDirect") === true;
}
