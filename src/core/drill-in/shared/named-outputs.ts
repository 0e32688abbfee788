import type { StoredArtifact } from "../../types/artifact.js";
import type { RunningCall } from "../../types/running-call.js";
import { findArtifact, type FoundArtifact } from "./find-artifact.js";
import type { DrillInContext } from "./context.js";
import { grouped } from "../../../util/amounts.js";

/** A stored output by the name that a filter or a query has for it. */
export interface NamedOutput {
  /** A letter, then letters, digits and `_`. */
  readonly name: string;
  readonly artifact: StoredArtifact;
  /** What the call called it by, as far as a next call can repeat that. */
  readonly reference: string;
}

/** What a call names: the output of `id`, and those of `with` by name. */
export interface NamedReferences {
  readonly reference: string;
  /** The argument that it is. */
  readonly idName: string;
  /** The argument of the others; `undefined` when the tool does not show it. */
  readonly withName: string | undefined;
  /** What the model passed, unchecked; `undefined` when it passed nothing. */
  readonly named: Readonly<Record<string, unknown>> | undefined;
}

/** All outputs of a call, or the sentence that says which argument is wrong and why. */
export type FoundOutputs =
  | {
      readonly storedArtifact: StoredArtifact;
      readonly others: readonly NamedOutput[];
      readonly problem?: undefined;
    }
  | {
      /** The output of `id` when that one was found. */
      readonly storedArtifact: StoredArtifact | undefined;
      readonly problem: string;
    };

/** Of one call, beside that of `id`. */
const MAX_NAMED = 7;
const MAX_NAME_CHARACTERS = 63;
const NAME = /^[A-Za-z]\w*$/;
/** The table of `id`. */
const OWN_NAME = "output";
/** `$ENV` is the environment in jq, whatever it is set to. */
const JQ_NAME = "ENV";
const SHOWN_CHARACTERS = 40;

/** Finds one output by what a call names it by. @throws {@link OffloadError} whatever the store throws. */
export type FindOutput = (reference: string) => Promise<FoundArtifact>;

/** Makes what finds the outputs of one call, each within its own session. */
export function findIn(
  { store, seen, now, onMissing }: Pick<DrillInContext, "store" | "seen" | "now" | "onMissing">,
  { scope, scopeOf = () => scope, access, ifNotFound }: RunningCall,
): FindOutput {
  return async (reference) => {
    const request = { reference, scope: await scopeOf(reference), access, nowMs: now() };
    const found = await findArtifact(store, seen, request, onMissing);
    const isSaid = found.storedArtifact === undefined && ifNotFound !== undefined;
    return isSaid ? { ...found, problem: `${found.problem} ${ifNotFound}` } : found;
  };
}

/**
 * Finds the output of `id` and those of `with`. A name is the same for jq and for
 * SQL, where upper case is no other name; two names may stand for one output.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function findOutputs(
  { reference, named, idName, withName }: NamedReferences,
  find: FindOutput,
): Promise<FoundOutputs> {
  const entries = Object.entries(named ?? {});
  const { storedArtifact, problem } = await find(reference);
  if (storedArtifact === undefined) {
    // Without others there is no doubt which one is meant.
    return { storedArtifact, problem: entries.length === 0 ? problem : `${idName}: ${problem}` };
  }
  const before = withName === undefined ? "" : `${withName}.`;
  const wrong = namesProblem(entries.map(([name]) => name));
  if (wrong !== undefined) return { storedArtifact, problem: wrong };
  const others: NamedOutput[] = [];
  for (const [name, reference] of entries) {
    if (typeof reference !== "string")
      return {
        storedArtifact,
        problem: `${before}${name}: pass the id of one stored output as text.`,
      };
    const other = await find(reference);
    if (other.storedArtifact === undefined)
      return { storedArtifact, problem: `${before}${name}: ${other.problem}` };
    const { storedArtifact: artifact } = other;
    others.push({ name, artifact, reference: knownReference(artifact, reference) });
  }
  return { storedArtifact, others };
}

/** What `with` is in a next call; `undefined` without others. */
export function idsByName(
  others: readonly NamedOutput[],
): Readonly<Record<string, string>> | undefined {
  if (others.length === 0) return undefined;
  return Object.fromEntries(others.map(({ name, reference }) => [name, reference]));
}

/** A longer one is not repeated: a long path would leave no room for data in a short answer. */
const MAX_REPEATED_CHARACTERS = 80;

/**
 * What a next call calls an output by: what this call did, when it is the id, the path, the title or the file name, which may
 * lack its extension; else the file name. The id, where that is too long.
 */
export function knownReference(
  { id, fileName, filePath, title }: Pick<StoredArtifact, "id" | "fileName" | "filePath" | "title">,
  reference: string,
): string {
  const isName = [id, filePath, title].includes(reference);
  const isKnown = isName || fileName.startsWith(reference);
  const known = isKnown ? reference : fileName;
  return known.length > MAX_REPEATED_CHARACTERS ? id : known;
}

/** `16.8 MB`. */
export function megabytes(bytes: number): string {
  const tenths = Math.round(bytes / 1e5);
  const rest = tenths % 10 === 0 ? "" : `.${tenths % 10}`;
  return `${grouped(Math.floor(tenths / 10))}${rest} MB`;
}

function namesProblem(names: readonly string[]): string | undefined {
  if (names.length > MAX_NAMED) {
    return `The call names ${grouped(names.length)} further outputs; at most ${MAX_NAMED} can stand beside the first.`;
  }
  const taken = new Set([OWN_NAME]);
  for (const name of names) {
    if (!NAME.test(name) || name.length > MAX_NAME_CHARACTERS) {
      const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
      const more = name.length > SHOWN_CHARACTERS ? "…" : "";
      return `${shown}${more} cannot be the name of an output: a letter, then letters, digits and _, ${MAX_NAME_CHARACTERS} at most.`;
    }
    const key = name.toLowerCase();
    if (name === JQ_NAME) return `${name} is a name of jq's own; choose another name.`;
    if (key === OWN_NAME) return `${name} is the first output's name already; choose another name.`;
    if (taken.has(key)) return `Two outputs are named ${name}; upper case is no other name.`;
    taken.add(key);
  }
  return undefined;
}
