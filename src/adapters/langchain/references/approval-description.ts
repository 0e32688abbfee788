import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { OffloadError } from "../../../core/types/errors.js";
import { termsOf } from "../../../plugins/references/terms.js";
import type { ReferencesPlugin } from "./references.js";
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
 * @param offloader - That of the agent's middleware: `offloadMiddleware({ offloader })`, with the plug-in `references()`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when it has no such plug-in.
 */
export function approvalDescription(
  offloader: Offloader,
): (
  toolCall: WaitingCall,
  state: unknown,
  runtime: Pick<RunSite, "configurable">,
) => Promise<string> {
  const terms = termsIn(offloader);
  return async ({ name, args }, state, { configurable }) => {
    const taken = terms.of(name);
    const lines: string[] = [];
    for (const [parameter, value] of Object.entries(args)) {
      if (taken === undefined ? !terms.auto : taken.parameters?.includes(parameter) === false)
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

function termsIn(offloader: Offloader): ReturnType<typeof termsOf> {
  const plugin = offloader.options.plugins.find(
    (one): one is ReferencesPlugin => one.name === "references" && "auto" in one,
  );
  const plugged = internals(offloader).host.plugged.find((one) => one.name === "references");
  if (plugin === undefined || plugged === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "approvalDescription needs an offloader with the plug-in references(), such as createOffloader({ plugins: [references()] }).",
    );
  }
  const { toolsWithOptions, settings: toolOptions } = plugged;
  return termsOf(plugin.auto, { toolsWithOptions, toolOptions });
}
