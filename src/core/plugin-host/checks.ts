import type { JsonObject } from "../../util/is-record.js";
import * as z from "zod";

import { fieldOf } from "../../util/field-of.js";
import { callback as hook, checkedOptions, optionalsOf } from "../../util/option-rules.js";
import { isOwnTool } from "../drill-in/context.js";
import { CORE_TOOLS } from "../drill-in/tools.js";
import { refuseOptions } from "../types/errors.js";
import type { DrillInTool, OffloadPlugin, PluginHooks } from "../types/plugin.js";
import type { RunningCall } from "../types/running-call.js";

const ofHooks: Readonly<Record<keyof PluginHooks, z.ZodType>> = {
  clean: hook,
  wrapOutput: hook,
  describe: hook,
  tools: z.array(z.unknown(), "a list of tools"),
  onOutput: hook,
  onEvent: hook,
  agent: hook,
  beforeRead: hook,
  mcp: hook,
  endSession: hook,
  close: hook,
};
const hooksSchema = optionalsOf(ofHooks);

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for unknown or invalid hooks */
export function checkHooks(name: string, hooks: PluginHooks): void {
  checkedOptions(`the plugin "${name}"`, hooksSchema, hooks);
}

/**
 * The tools of all plugins, whose failures are reported.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` for two tools of one key
 */
export function checkedTools(
  plugged: readonly { readonly name: string; readonly hooks: PluginHooks }[],
  failed: (plugin: string, hook: string, error: unknown, call: RunningCall) => void,
): readonly DrillInTool[] {
  const keys = new Map<string, string>(CORE_TOOLS.map(({ key }) => [key, "the library"]));
  return plugged.flatMap(({ name, hooks: { tools = [] } }) => {
    for (const { key } of tools) {
      const other = keys.get(key);
      if (other !== undefined)
        refuseOptions(`The plugin "${name}" has a tool "${key}", which ${other} has already.`);
      keys.set(key, `the plugin "${name}"`);
    }
    return tools.map((tool) => {
      if (isOwnTool(tool)) return tool;
      const run: DrillInTool["run"] = async (args, call) => {
        try {
          const answer = await tool.run(args, call);
          if (typeof (fieldOf(answer, "text") ?? answer) === "string") return answer;
          throw new TypeError("run must return a text.");
        } catch (error) {
          if (!call.signal?.aborted) failed(name, "tools", error, call);
          throw error;
        }
      };
      return { ...tool, run };
    });
  });
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for settings that no plugin takes */
export function checkSettings(
  plugins: readonly OffloadPlugin[],
  toolName: string,
  given: JsonObject = {},
): void {
  for (const [name, settings] of Object.entries(given)) {
    const place = `perTool.${toolName}.plugins`;
    const plugin = plugins.find((one) => one.name === name);
    if (plugin === undefined)
      refuseOptions(`The plugin "${name}" is not in plugins.\n  → at ${place}`);
    if (settings === false) continue;
    if (plugin.toolOptions === undefined)
      refuseOptions(
        `The plugin "${name}" has no settings of a tool; use false.\n  → at ${place}.${name}`,
      );
    checkedOptions(`the plugin "${name}" (${place}.${name})`, plugin.toolOptions, settings);
  }
}
