import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { aroundCall, type ToolLike } from "../tool/around-call.js";

/** Where the config of a drill-in tool has the state of its call: a symbol, which no request from outside can hold. */
const STATE = Symbol.for("langchain-offload.call-state");

type CallState = ReadonlyMap<string, unknown>;

/** The same tool, whose call has this state. */
export function carryingState<Tool>(tool: Tool, state: CallState): Tool {
  if (state.size === 0 || !isToolLike(tool)) return tool;
  return aroundCall(
    tool,
    ["_call"],
    async ({ config, run }) => await run({ config: configWithState(config, state) }),
  );
}

/** The config for that tool. */
export function configWithState<Config extends object>(config: Config, state: CallState): Config;
export function configWithState(config: unknown, state: CallState): object;
export function configWithState(config: unknown, state: CallState): object {
  const configurable = fieldOf(config, "configurable");
  const own = isRecord(configurable) ? configurable : {};
  const given = isRecord(config) ? config : {};
  return { ...given, configurable: { ...own, [STATE]: state } };
}

/** The state of the call of a tool with this config. */
export function carriedState(config: unknown): CallState | undefined {
  const configurable = fieldOf(config, "configurable");
  if (typeof configurable !== "object" || configurable === null) return undefined;
  const { [STATE]: state }: { readonly [STATE]?: CallState } = configurable;
  return state;
}

function isToolLike<Tool>(tool: Tool): tool is Tool & ToolLike {
  return typeof tool === "object" && tool !== null && "_call" in tool;
}
