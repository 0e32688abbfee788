import { referencesOf } from "../../../core/describe/references.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { aroundCall, copyWith, type ToolLike } from "../tool/around-call.js";
import { failureMessage } from "../tool/errors/failure-message.js";
import { noteAt, notedParameters } from "./reference-rules.js";
import { resolveArguments } from "./references.js";
import { isStrict, withReferenceSchema } from "./reference-schema.js";

/**
 * A tool whose arguments may be references, when the offloader's options say so by its name: shown
 * to a model with its schema widened, called with the data. One that cannot be resolved is answered
 * with what is wrong, and the tool is not called.
 */
export function acceptingReferences<Tool extends ToolLike>(tool: Tool, offloader: Offloader): Tool {
  const taken = referencesOf(offloader.options.references, tool.name);
  if (taken === undefined) return tool;
  const accepting = aroundCall(tool, ["invoke", "call"], async ({ site, run }) => {
    const referred = await resolveArguments(offloader, site, { ...taken, byItself: false });
    if (referred === undefined) return await run();
    if (referred.problem !== undefined) {
      const { toolCallId: id } = site;
      return id === undefined ? referred.problem : failureMessage(referred.problem, tool.name, id);
    }
    return await run({ args: referred.args });
  });
  if (isStrict(tool)) return accepting;
  const notes = notedParameters(tool, taken).map((name, index) => [name, noteAt(index)] as const);
  return copyWith(accepting, { ...withReferenceSchema(tool, new Map(notes)) });
}
