import { Tool as TextTool } from "@langchain/core/tools";

import { isRecord } from "../../../util/is-record.js";
import { type CallSite, siteOfTool } from "../run/session.js";

/** What a tool of LangChain has, of whichever class it is. */
export interface ToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** One call of a tool, on its way to it. */
export interface PassingCall {
  /** Its arguments are those alone, also where a whole tool call was given. */
  readonly site: CallSite;
  readonly config: unknown;
  /** Goes on to the tool's own method, with what came where nothing else is said. */
  readonly run: (changed?: {
    readonly args?: unknown;
    readonly config?: unknown;
  }) => Promise<unknown>;
}

/**
 * A tool that is the given one but for something around its calls: `invoke` and `call`, around which callbacks hear
 * what the tool itself returns, or `_call`, inside of which they do not.
 */
export function aroundCall<Tool extends ToolLike>(
  tool: Tool,
  methods: readonly ("invoke" | "call" | "_call")[],
  around: (call: PassingCall) => Promise<unknown>,
): Tool {
  const replaced = methods.map((method) => {
    const replacement = async (...given: readonly unknown[]): Promise<unknown> => {
      const place = method === "_call" ? 2 : 1;
      const input = given[0];
      const isCall = method !== "_call" && isRecord(input) && input["type"] === "tool_call";
      const config =
        method === "call" && isCallbacks(given[1]) ? { callbacks: given[1] } : given[place];
      const site = siteOfTool(tool, isCall ? input["args"] : input, config);
      return await around({
        site:
          isCall && typeof input["id"] === "string" ? { ...site, toolCallId: input["id"] } : site,
        config,
        run: async (changed = {}) => {
          const original: unknown = Reflect.get(tool, method);
          if (typeof original !== "function") {
            throw new TypeError(`${tool.name} has no ${method}.`);
          }
          const passed = [...given];
          if ("args" in changed) {
            passed[0] = isCall ? { ...input, args: changed.args } : changed.args;
          }
          passed[place] = changed.config ?? config;
          return await Reflect.apply(original, tool, passed);
        },
      });
    };
    return [method, replacement] as const;
  });
  return copyWith(tool, Object.fromEntries(replaced));
}

/** A tool that is the given one but for some of its properties, of any class. */
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

/**
 * Whether `invoke` and `call` of a tool are LangChain's, which lead to its `_call`: on a copy they are the same. A class's
 * own may count, or have private fields, so they are only ever called on the tool itself.
 */
export function isCalledByLangChain(tool: object): boolean {
  return (["invoke", "call"] as const).every((method) => {
    const [owner, ...overridden] = ownersOf(tool, method);
    if (owner === undefined) return false;
    const isOfBase = overridden.length === 0 && Object.hasOwn(owner, "lc_namespace");
    return isOfBase || owner === TextTool.prototype || isOfDynamic(owner);
  });
}

/** The objects along the chain of prototypes that have a method, from the tool itself on. */
function ownersOf(tool: object, method: string): readonly object[] {
  const owners: object[] = [];
  for (let one: object | null = tool; one !== null; one = Reflect.getPrototypeOf(one)) {
    if (Object.hasOwn(one, method)) owners.push(one);
  }
  return owners;
}

/** Whether it is the prototype of one of the classes of `tool()`, also of another copy of LangChain. */
function isOfDynamic(owner: object): boolean {
  if (!Object.hasOwn(owner, "constructor")) return false;
  const { constructor } = owner;
  const named: unknown =
    Object.hasOwn(constructor, "lc_name") && Reflect.get(constructor, "lc_name");
  const name: unknown = typeof named === "function" && Reflect.apply(named, constructor, []);
  return name === "DynamicTool" || name === "DynamicStructuredTool";
}

/** What such a tool returns is the user's answer, not the model's input. */
export function returnsDirect(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && Reflect.get(tool, "returnDirect") === true;
}

/** A list of handlers, or their manager. */
function isCallbacks(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && typeof value["copy"] === "function");
}
