import * as z from "zod";

import { OffloadError } from "../../core/types/errors.js";
import { count, notEmpty, oneOf, optionsByName, timerMs } from "../../util/option-rules.js";

/** Which tools of the agent code may call, and within what. */
export interface CodeCallOptions {
  /** Names of tools of the agent. Code can call no other. With it `interruptOn` has to be given. @defaultValue none */
  readonly tools?: readonly string[];
  /**
   * The object that `humanInTheLoopMiddleware` is given, `{}` where no tool needs a person's approval. That middleware
   * never sees a call that code makes. So code cannot call a tool that this names, but with `false`, whatever the
   * conditions under which a person is asked.
   */
  readonly interruptOn?: Readonly<Record<string, boolean | object>>;
  /** Calls that one run may make; more are exceptions in the code. @defaultValue `256` */
  readonly maxToolCalls?: number;
  /** Calls of one run that go on at once; more wait. @defaultValue `32` */
  readonly maxToolCallsAtOnce?: number;
  /** A result of more bytes is stored first, and the code reads it as a stored output. @defaultValue `1_048_576` */
  readonly maxInlineResultBytes?: number;
  /** A result of more bytes is an exception in the code. @defaultValue `268_435_456` */
  readonly maxResultBytes?: number;
  /**
   * Longest time from the first call of a run to the last one's result, in milliseconds on the wall.
   *
   * @defaultValue `300_000`
   */
  readonly toolTimeoutMs?: number;
}

/** {@link CodeCallOptions} after defaults. */
export interface CodeCalls extends Required<Omit<CodeCallOptions, "interruptOn">> {
  /** Names of the tools that need a person's approval. */
  readonly asking: ReadonlySet<string>;
}

/** The rules of these options, to stand among those of `code()`. */
export const CODE_CALL_RULES: Readonly<Record<keyof CodeCallOptions, z.ZodType>> = {
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
};

/**
 * The options with every default filled in.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when `tools` is given without `interruptOn`.
 */
export function resolveCodeCalls(given: CodeCallOptions): CodeCalls {
  if (given.tools !== undefined && given.interruptOn === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "code({ tools }) needs interruptOn beside it: the object that humanInTheLoopMiddleware has, or {} where no tool needs a person's approval.",
    );
  }
  const asking = Object.entries(given.interruptOn ?? {}).filter(([, rule]) => rule !== false);
  return {
    tools: [...new Set(given.tools)],
    asking: new Set(asking.map(([name]) => name)),
    maxToolCalls: given.maxToolCalls ?? 256,
    maxToolCallsAtOnce: given.maxToolCallsAtOnce ?? 32,
    maxInlineResultBytes: given.maxInlineResultBytes ?? 1_048_576,
    maxResultBytes: given.maxResultBytes ?? 268_435_456,
    toolTimeoutMs: given.toolTimeoutMs ?? 300_000,
  };
}
