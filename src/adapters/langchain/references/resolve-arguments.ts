import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { ResolveReference } from "../../../plugins/references/resolve.js";
import { readPlainReference, readReference } from "../../../plugins/references/reference.js";
import type { TakenReferences } from "./reference-rules.js";
import { jsonSchemaOf } from "./reference-schema.js";
import { statedAs } from "./stated-references.js";
import type { CallSite } from "../run/call-site.js";
import { referredCall } from "../run/reading-call.js";
import { takenAs } from "../../../plugins/references/data-parameters.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { StoredMedia } from "../../../core/types/media.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

/** References that one call may hold. */
const MAX_REFERENCES = 16;

/** A person may have decided on the call, who could not see what it hands over. */
const UNSTATED =
  "What this reference stands for was not stated when the call was made. Make the call again.";

/** Arguments that are filled in: what the data hold is no reference for the next wrapper around the tool. */
const filledIn = new WeakSet<object>();

/** The arguments with data in place of references, or the sentence for the model that says what is wrong. */
export type ReferredArguments =
  | { readonly args: Record<string, unknown>; readonly problem?: undefined }
  | { readonly args?: undefined; readonly problem: string };

/**
 * Puts the data in place of the references among a call's arguments. `undefined` when there are none: the call is as it came. What the data themselves hold is never resolved.
 *
 * @param taken - What the tool takes. By itself it is given what the call has stated, and no other reference.
 */
export async function resolveArguments(
  offloader: Offloader,
  site: CallSite,
  taken: TakenReferences,
  resolve: ResolveReference,
): Promise<ReferredArguments | undefined> {
  const { toolName, tool, args } = site;
  if (typeof args !== "object" || args === null) return undefined;
  if (filledIn.has(args)) return undefined;
  const found = Object.entries(args).flatMap(([name, value]) => {
    if (taken.parameters?.includes(name) === false) return [];
    const read = taken.byItself ? readPlainReference(value) : readReference(value);
    return read === undefined ? [] : [{ name, ...read }];
  });
  if (found.length === 0) return undefined;
  if (found.length > MAX_REFERENCES) {
    return { problem: `One call takes at most ${MAX_REFERENCES} references.` };
  }
  const schema = jsonSchemaOf(fieldOf(tool, "schema"));
  const resolved: Record<string, unknown> = { ...args };
  let leftBytes = taken.maxBytes;
  for (const { name, reference, problem } of found) {
    if (reference === undefined) return { problem: `${name}: ${problem}` };
    // In order, because what one is given is taken from what is left for the next.
    const call = await referredCall(offloader, site, reference.output);
    if (call === undefined) return { problem: `${name}: This call belongs to no conversation.` };
    const refuse = (artifact: StoredArtifact): string | undefined =>
      taken.byItself && reference.is !== statedAs(artifact) ? UNSTATED : undefined;
    const options = { toolName, parameter: name, maxBytes: leftBytes, refuse };
    const data = await resolve(reference, call, options);
    if (data.problem !== undefined) return { problem: `${name}: ${data.problem}` };
    const expected = takenAs(schema, name);
    resolved[name] =
      data.media === undefined
        ? asExpected(data.value, expected)
        : fileAs(String(data.value), data.media, expected);
    leftBytes -= data.sizeBytes;
  }
  filledIn.add(resolved);
  return { args: resolved };
}

/** A file as the tool's schema wants it: base64 for a text parameter, else LangChain's standard block. */
function fileAs(
  base64: string,
  { kind, type: mimeType }: StoredMedia,
  expected: ReturnType<typeof takenAs>,
): unknown {
  if (expected === "text") return base64;
  const block = { type: kind === "pdf" ? "file" : kind, mimeType, data: base64 };
  return expected === "list" ? [block] : block;
}

/** Data as the tool's schema wants them: text for a text parameter, a list for a list. */
function asExpected(value: unknown, expected: ReturnType<typeof takenAs>): unknown {
  if (expected === "text") return typeof value === "string" ? value : JSON.stringify(value);
  return expected === "list" && isRecord(value) ? [value] : value;
}
