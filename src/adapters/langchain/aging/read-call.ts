import type { Internals } from "../../../offload/offloader.js";
import type { CarriedArtifact } from "../../../types/artifact.js";

/** The call of the read tool that gives an output whole, as short as it can be said. */
export function readCallOf(
  { names, calls }: Pick<Internals["drillInContext"], "names" | "calls">,
  artifact: CarriedArtifact,
): string {
  const printed = calls.call("read", artifact, { id: artifact.id }) ?? "";
  const name = names.read ?? "";
  const only = /^\{"[A-Za-z_]{1,64}":("[A-Z0-9]{26}")\}$/.exec(printed.slice(name.length + 1));
  return only === null ? printed : `${name}(${only[1]})`;
}
