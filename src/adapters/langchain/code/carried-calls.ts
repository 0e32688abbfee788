import type { CallableTools } from "../../../plugins/code/request.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { aroundCall, type ToolLike } from "../tool/around-call.js";

/** Where the config of the tool that runs code has what the code may call: a symbol, which no request from outside can hold. */
const CALLS = Symbol.for("langchain-offload.code-calls");

/** The same tool, whose code may make these calls. */
export function carryingCalls<Tool extends ToolLike>(tool: Tool, calls: CallableTools): Tool {
  return aroundCall(
    tool,
    ["_call"],
    async ({ config, run }) => await run({ config: configWithCalls(config, calls) }),
  );
}

/** The config for that tool. */
export function configWithCalls(config: unknown, calls: CallableTools): object {
  const configurable = fieldOf(config, "configurable");
  const own = isRecord(configurable) ? configurable : {};
  const given = isRecord(config) ? config : {};
  return { ...given, configurable: { ...own, [CALLS]: calls } };
}

/** The calls that the code of a tool with this config may make. */
export function carriedCalls(config: unknown): CallableTools | undefined {
  const configurable = fieldOf(config, "configurable");
  if (typeof configurable !== "object" || configurable === null) return undefined;
  const { [CALLS]: calls }: { readonly [CALLS]?: CallableTools } = configurable;
  return calls;
}
