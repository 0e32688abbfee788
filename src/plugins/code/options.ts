import * as z from "zod";

import { OffloadError } from "../../core/types/errors.js";
import {
  checkedOptions,
  count,
  notEmpty,
  oneOf,
  optionsByName,
  optionsOf,
  size,
  timerMs,
  wholeNumber,
} from "../../util/option-rules.js";

/** Limits for the code that a model writes, and the agent tools that it may call. */
export interface CodeOptions {
  /**
   * Memory of the code in one run, in mebibytes, from 4 to 1,024. Its worker takes some 40 more.
   * @defaultValue `64`
   */
  readonly maxMemoryMb?: number;
  /**
   * Maximum bytes that one run may store: what it saves, returns and prints together.
   * @defaultValue `268_435_456`
   */
  readonly maxKeptBytes?: number;
  /** Names of the agent tools that code may call. Requires `interruptOn`. @defaultValue none */
  readonly tools?: readonly string[];
  /**
   * The object that `humanInTheLoopMiddleware` receives, or `{}` when no tool needs a person's
   * approval. That middleware never sees a call that code makes. So code cannot call a tool listed
   * here, whatever the conditions for approval, unless its value is `false`.
   */
  readonly interruptOn?: Readonly<Record<string, boolean | object>>;
  /** Maximum calls in one run; further calls throw in the code. @defaultValue `256` */
  readonly maxToolCalls?: number;
  /** Maximum concurrent calls of one run; further calls wait. @defaultValue `32` */
  readonly maxToolCallsAtOnce?: number;
  /**
   * A larger result, in bytes, is stored first, and the code reads it as a stored output.
   * @defaultValue `1_048_576`
   */
  readonly maxInlineResultBytes?: number;
  /** A larger result, in bytes, throws in the code. @defaultValue `268_435_456` */
  readonly maxResultBytes?: number;
  /**
   * Maximum wall-clock time from the first call of a run to the last result, in milliseconds.
   * @defaultValue `300_000`
   */
  readonly toolTimeoutMs?: number;
}

export interface CodeSettings extends Required<Omit<CodeOptions, "interruptOn">> {
  readonly asking: ReadonlySet<string>;
}

const schema = optionsOf({
  maxMemoryMb: wholeNumber(4, 1024).optional(),
  maxKeptBytes: size.optional(),
  tools: z.array(notEmpty("the name of a tool")).optional(),
  interruptOn: optionsByName(
    oneOf(
      [z.boolean(), z.looseObject({})],
      "true, false or an object, as humanInTheLoopMiddleware takes them",
    ),
  ).optional(),
  maxToolCalls: count.optional(),
  maxToolCallsAtOnce: count.optional(),
  maxInlineResultBytes: count.optional(),
  maxResultBytes: count.optional(),
  toolTimeoutMs: timerMs.optional(),
});

/**
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or
 * `tools` is given without `interruptOn`.
 */
export function resolveCode(options: CodeOptions): CodeSettings {
  const { interruptOn, ...given } = checkedOptions<CodeOptions>("code", schema, options);
  if (given.tools !== undefined && interruptOn === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "code({ tools }) needs interruptOn beside it: the object that humanInTheLoopMiddleware has, or {} where no tool needs a person's approval.",
    );
  }
  const asking = Object.entries(interruptOn ?? {}).filter(([, rule]) => rule !== false);
  return {
    maxMemoryMb: 64,
    maxKeptBytes: 268_435_456,
    maxToolCalls: 256,
    maxToolCallsAtOnce: 32,
    maxInlineResultBytes: 1_048_576,
    maxResultBytes: 268_435_456,
    toolTimeoutMs: 300_000,
    ...given,
    tools: [...new Set(given.tools)],
    asking: new Set(asking.map(([name]) => name)),
  };
}
