import type * as z from "zod";

import { OffloadError } from "../../core/types/errors.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { offloaderFor } from "../../core/pipeline/create-offloader.js";
import { withAnyOptions } from "../../core/options/schema.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { references } from "./references/references.js";
import { checkedOptions, objectOf } from "../../util/option-rules.js";

/**
 * Options for a new offloader, or an existing one, which allows no other offload option beside it.
 * Tools and nodes that share an offloader share its store, its events and its drill-in tools.
 */
export type GivenOffloader =
  | ({ readonly [Option in keyof OffloadOptions]?: never } & {
      /**
       * An existing offloader, in place of the options that create one.
       * @remarks Set it when several agents, nodes and tools share what is stored.
       */
      readonly offloader: Offloader;
    })
  | (OffloadOptions & { readonly offloader?: never });

interface Given<Own> {
  readonly offloader: Offloader;
  readonly isShared: boolean;
  readonly own: Own;
}

/** @throws OffloadError `INVALID_OPTIONS` when an option cannot be used, or is set beside `offloader` */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows whose options the shape checks.
export function givenOffloader<Own extends object = object>(
  factory: string,
  options: GivenOffloader & Own,
  shape: Readonly<Record<string, z.ZodType>> = {},
): Given<Own> {
  const { offloader, ...given } = objectOf(factory, options);
  const schema = withAnyOptions(shape);
  const own: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(checkedOptions<object>(factory, schema, given)))
    (Object.hasOwn(shape, name) ? own : others)[name] = value;
  // oxlint-disable typescript/no-unsafe-type-assertion -- checked by the shape
  if (offloader === undefined)
    return {
      offloader: offloaderFor(factory, others, withReferences),
      isShared: false,
      own: own as Own,
    };
  internals(offloader);
  const beside = Object.keys(others);
  if (beside.length === 0) return { offloader, isShared: true, own: own as Own };
  // oxlint-enable typescript/no-unsafe-type-assertion
  throw new OffloadError(
    "INVALID_OPTIONS",
    `With \`offloader\`, these options have no effect here: ${beside.join(", ")}. ` +
      "Pass them to createOffloader instead.",
  );
}

function withReferences({ plugins = [], ...options }: OffloadOptions): OffloadOptions {
  const isThere = plugins.some(({ name }) => name === "references");
  return { ...options, plugins: isThere ? plugins : [references(), ...plugins] };
}
