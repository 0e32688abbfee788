import { ensureConfig } from "@langchain/core/runnables";

import { referencesOf } from "../../../describe/references.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import { cutError } from "../tool/cut-error.js";
import { failureMessage } from "../tool/failure-message.js";
import { resolveArguments } from "./references.js";
import type { ToolLike } from "../tool/tool-calls.js";
import { copyWith, widenedTool } from "./widened-tool.js";
import { isRecord } from "../../../util/is-record.js";

/**
 * A tool whose arguments may be references, when the offloader's options say so for its name: shown
 * to a model with its schema widened, called with the data. One that cannot be resolved is answered
 * with what is wrong, and the tool is not called.
 */
export function acceptingReferences<T extends ToolLike>(tool: T, offloader: Offloader): T {
  const taken = referencesOf(offloader.options.references, tool.name);
  if (taken === undefined) return tool;
  const around =
    (method: "invoke" | "call") =>
    async (input: unknown, config: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
      const call = isRecord(input) && input["type"] === "tool_call" ? input : undefined;
      const { configurable, state, signal, toolCall } = isRecord(config) ? config : {};
      const referred = await resolveArguments(offloader, {
        toolName: tool.name,
        tool,
        args: call === undefined ? input : call["args"],
        configurable: isRecord(configurable) ? configurable : ensureConfig().configurable,
        state,
        signal: signal instanceof AbortSignal ? signal : undefined,
      });
      if (referred?.problem !== undefined) {
        const id = (call ?? (isRecord(toolCall) ? toolCall : {}))["id"];
        return typeof id === "string"
          ? failureMessage(referred.problem, tool.name, id)
          : referred.problem;
      }
      const original: unknown = Reflect.get(tool, method);
      if (typeof original !== "function") throw new TypeError(`${tool.name} has no ${method}.`);
      if (referred === undefined)
        return await Reflect.apply(original, tool, [input, config, ...rest]);
      const given = call === undefined ? referred.args : { ...call, args: referred.args };
      try {
        return await Reflect.apply(original, tool, [given, config, ...rest]);
      } catch (error) {
        if (error instanceof Error) error.message = cutError(error.message);
        throw error;
      }
    };
  return copyWith(tool, {
    ...widenedTool(tool, taken),
    invoke: around("invoke"),
    call: around("call"),
  });
}
