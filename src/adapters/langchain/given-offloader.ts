import * as z from "zod";

import { OffloadError } from "../../core/types/errors.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { offloaderFor } from "../../core/pipeline/offloader-for.js";
import { OPTION_NAMES, PLUGIN_NAMES } from "../../core/options/schema.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { references } from "./references/references.js";
import { checkedOptions, objectOf, optionsOf } from "../../util/option-rules.js";

/**
 * An offloader that exists already and is used as it is, without any other offload option beside it. Tools and nodes
 * that share one share its store, its events and its drill-in tools.
 */
type SharedOffloader<Options extends OffloadOptions = OffloadOptions> = {
  readonly [Option in keyof Options]?: never;
} & {
  /**
   * One that exists already, in place of all options that it was made with.
   *
   * @remarks Set it when several agents, nodes and tools share what is stored.
   */
  readonly offloader: Offloader;
};

/** Options of an offloader to be made. */
type OwnOffloader<Options extends OffloadOptions = OffloadOptions> = Options & {
  readonly offloader?: never;
};

/** Options of an offloader to be made, or one that exists already and is shared. */
export type GivenOffloader<Options extends OffloadOptions = OffloadOptions> =
  | SharedOffloader<Options>
  | OwnOffloader<Options>;

/** What some factories take beside an offloader. */
interface Beside {
  readonly factory: string;
  /** Names of its own options, which are taken out already. */
  readonly own?: readonly string[];
}

/**
 * The offloader that was given, or a new one.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or stands
 * beside `offloader`.
 */
export function givenOffloader(given: GivenOffloader, { factory, own = [] }: Beside): Offloader {
  const { offloader, ...options } = objectOf(factory, given);
  if (isOffloader(options)) {
    const message = `${factory} takes options: pass { offloader } in place of the offloader itself.`;
    throw new OffloadError("INVALID_OPTIONS", message);
  }
  // An option of the factory's may be meant, which those of an offloader are not compared with.
  const names = [...OPTION_NAMES, ...PLUGIN_NAMES, ...own].map(
    (name) => [name, z.unknown().optional()] as const,
  );
  const known = checkedOptions<object>(factory, optionsOf(Object.fromEntries(names)), options);
  if (offloader === undefined) return offloaderFor(factory, options, withReferences);
  // One that nobody can use is told here, and not in the first call of a tool.
  internals(offloader);
  const beside = Object.keys(known);
  if (beside.length === 0) return offloader;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `With \`offloader\`, these options have no effect here: ${beside.join(", ")}. ` +
      "Pass them to createOffloader instead.",
  );
}

/** Where LangChain's tools are, they take references without being asked. */
function withReferences({ plugins = [], ...options }: OffloadOptions): OffloadOptions {
  const isThere = plugins.some(({ name }) => name === "references");
  return { ...options, plugins: isThere ? plugins : [references(), ...plugins] };
}

/** Whether it is an offloader itself, and no options of one. */
export function isOffloader(given: object): given is Offloader {
  return "drillIn" in given && "offload" in given;
}
