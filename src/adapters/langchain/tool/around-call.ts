import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { type CallSite, siteOfTool } from "../run/call-site.js";

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
  /** Whether it was made as the call of a model is, and not with plain arguments. */
  readonly isToolCall: boolean;
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
        isToolCall: isCall || isRecord(fieldOf(config, "toolCall")),
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
  return copy;
}

/** What such a tool returns is the user's answer, not the model's input. */
export function returnsDirect(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && Reflect.get(tool, "returnDirect") === true;
}

/** A list of handlers, or their manager. */
function isCallbacks(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && typeof value["copy"] === "function");
}
