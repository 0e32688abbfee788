import { isAuto, referencesOf } from "../../../core/describe/references.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { readReference } from "../../../plugins/references/reference.js";
import type { RunSite } from "../run/call-site.js";
import { statementOf } from "./stated-references.js";

/** A tool call that waits for a person's decision. */
export interface WaitingCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * What a person is shown of a tool call whose arguments may be references: the call as the model made
 * it, and for each reference in words which output it stands for and how large that is. Pass it as the
 * `description` of LangChain's human-in-the-loop middleware.
 *
 * @param offloader - That of the agent's middleware: `offloadMiddleware({ offloader })`.
 */
export function approvalDescription(
  offloader: Offloader,
): (
  toolCall: WaitingCall,
  state: unknown,
  runtime: Pick<RunSite, "configurable">,
) => Promise<string> {
  return async ({ name, args }, state, { configurable }) => {
    const { references } = offloader.options;
    const taken = referencesOf(references, name);
    const lines: string[] = [];
    for (const [parameter, value] of Object.entries(args)) {
      if (
        taken === undefined ? !isAuto(references) : taken.parameters?.includes(parameter) === false
      )
        continue;
      const reference = readReference(value)?.reference;
      if (reference === undefined) continue;
      const part = (reference.jq ?? reference.lines ?? reference.recipe) ? "part of" : "all of";
      const stated = await statementOf(offloader, reference, { configurable, state });
      lines.push(`${parameter}: ${part} ${stated}`);
    }
    const call = `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
    return [call, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
  };
}
