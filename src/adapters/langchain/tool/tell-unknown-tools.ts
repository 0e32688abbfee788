import { ownToolNames } from "../../../core/options/tools.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { emit } from "../../../core/types/events.js";
import { fieldOf } from "../../../util/field-of.js";
import { warnOnce } from "../../../util/warn-once.js";
import type { AgentHooks } from "../agent-hooks.js";

const NAMES_WITHOUT_TOOL = ["put", "user_message"];

/**
 * Returns a function that is told the tools of a call, and reports each name in the options that none of them has, once.
 * The options of a shared offloader may name another agent's tools.
 */
export function unknownToolsTeller(
  offloader: Offloader,
  hooks: readonly AgentHooks[],
  isShared: boolean,
): (tools: readonly unknown[]) => void {
  const { options } = offloader;
  const { include, exclude, perTool, onEvent } = options;
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  let hasTools = false;
  const unknown = new Map(
    hooks.flatMap(({ named = [] }) => named.map(({ toolName, option }) => [toolName, option])),
  );
  for (const [option, names] of Object.entries({ include, exclude, perTool: [...perTool.keys()] }))
    if (Array.isArray(names)) for (const name of names) unknown.set(name, option);
  for (const name of unjudged) unknown.delete(name);

  return (tools) => {
    for (const tool of tools) {
      // A tool that the provider runs has no `name`.
      const name = fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name");
      if (typeof name !== "string" || unjudged.includes(name)) continue;
      hasTools = true;
      unknown.delete(name);
    }
    if (!hasTools || isShared) return;
    for (const [toolName, option] of unknown) {
      unknown.delete(toolName);
      emit(onEvent, { type: "unknown-tool", option, toolName });
      warnOnce(
        `${option} names ${JSON.stringify(toolName)}, but no tool of this call has that name. If another middleware adds or leaves out tools, that may be right.`,
      );
    }
  };
}

let areAnyMade = false;

export function noteReadingTools(): void {
  areAnyMade = true;
}

export function tellLackingTools({ options }: Offloader, toolName: string): void {
  if (areAnyMade || ownToolNames(options).length === 0) return;
  warnOnce(
    `An output of ${JSON.stringify(toolName)} was stored, but nothing has asked for the tools that read it. Share an offloader: ` +
      "withOffload(tool, { offloader }), and createDrillInTools(offloader) among the tools of the agent.",
  );
}
