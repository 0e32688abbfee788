import { artifactIdIn } from "../../../store/naming.js";
import { hasErrorCode } from "../../../errors.js";
import { referencesOf } from "../../../describe/references.js";
import { type Reference, readReference } from "../../../references/reference.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { scopeOfCall } from "../run/call-scope.js";
import type { RunSite } from "../run/call-site.js";

/** A tool call that waits for a person's decision. */
export interface WaitingCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * What a person is shown of a tool call whose arguments may be references: the call as the model made
 * it, and for each reference which output it stands for and how large that is. Pass it as the
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
    const taken = referencesOf(offloader.options.references, name);
    const lines: string[] = [];
    for (const [parameter, value] of Object.entries(args)) {
      if (taken === undefined || taken.parameters?.includes(parameter) === false) continue;
      const reference = readReference(value)?.reference;
      if (reference === undefined) continue;
      lines.push(`${parameter}: ${await sizeOf(offloader, reference, { configurable, state })}`);
    }
    const call = `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
    return [call, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
  };
}

const UNKNOWN = "no stored output of this conversation";

async function sizeOf({ store }: Offloader, reference: Reference, site: RunSite): Promise<string> {
  const id = artifactIdIn(reference.output);
  const scope = await scopeOfCall(store, site, { id: reference.output });
  if (id === undefined || scope === undefined) return UNKNOWN;
  let artifact: StoredArtifact | undefined;
  try {
    artifact = await store.stat(id, scope);
  } catch (error) {
    const isNewer = hasErrorCode(error, "STORED_BY_NEWER_VERSION");
    return isNewer ? "a stored output of a newer version of this library" : UNKNOWN;
  }
  if (artifact === undefined) return UNKNOWN;
  const part =
    (reference.jq ?? reference.lines ?? reference.recipe)
      ? "part of the output"
      : "the whole output";
  return `${part} of ${artifact.toolName}, which has ${amountOf(artifact)}`;
}

function amountOf({ recordCount, sizeBytes }: StoredArtifact): string {
  const bytes = `${sizeBytes.toLocaleString("en-US")} bytes`;
  return recordCount === undefined
    ? bytes
    : `${recordCount.toLocaleString("en-US")} records, ${bytes}`;
}
