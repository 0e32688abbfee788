import * as z from "zod";

import { callback, checkedOptions, optionsOf } from "../../util/option-rules.js";
import { CORE_TOOLS } from "../drill-in/tools.js";
import { refuseOptions } from "../types/errors.js";
import type { DrillInTool, OffloadPlugin, PluginHooks } from "../types/plugin.js";

const hook = callback.optional();
const ofHooks: Readonly<Record<keyof PluginHooks, z.ZodType>> = {
  clean: hook,
  wrapOutput: hook,
  describe: hook,
  tools: z.array(z.unknown(), "a list of tools").optional(),
  onOutput: hook,
  onEvent: hook,
  agent: hook,
  beforeRead: hook,
  mcp: hook,
  endSession: hook,
  close: hook,
};
const hooksSchema = optionsOf(ofHooks);

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for unknown or invalid hooks */
export function checkedHooks(name: string, hooks: PluginHooks): PluginHooks {
  checkedOptions(`the plugin "${name}"`, hooksSchema, hooks);
  return hooks;
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for two tools of one key */
export function checkedTools(
  plugged: readonly { readonly name: string; readonly hooks: PluginHooks }[],
): readonly DrillInTool[] {
  const keys = new Map<string, string>(CORE_TOOLS.map(({ key }) => [key, "the library"]));
  return plugged.flatMap(({ name, hooks: { tools = [] } }) => {
    for (const { key } of tools) {
      const other = keys.get(key);
      if (other !== undefined)
        refuseOptions(`The plugin "${name}" has a tool "${key}", which ${other} has already.`);
      keys.set(key, `the plugin "${name}"`);
    }
    return tools;
  });
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for settings that no plugin takes */
export function checkSettings(
  plugins: readonly OffloadPlugin[],
  toolName: string,
  given: Readonly<Record<string, unknown>> = {},
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
