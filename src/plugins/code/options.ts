import * as z from "zod";

import { refuseOptions } from "../../core/types/errors.js";
import {
  checkedOptions,
  notEmpty,
  oneOf,
  optionsByName,
  optionalsOf,
} from "../../util/option-rules.js";

/** The agent tools that the code of a model may call. */
export interface CodeOptions {
  /** Names of the agent tools that code may call. Requires `interruptOn`. @defaultValue none */
  readonly tools?: readonly string[];
  /**
   * The object that `humanInTheLoopMiddleware` receives, or `{}` when no tool needs a person's
   * approval. That middleware never sees a call that code makes. So code cannot call a tool listed
   * here, whatever the conditions for approval, unless its value is `false`.
   */
  readonly interruptOn?: Readonly<Record<string, boolean | object>>;
}

export interface CodeLimits {
  /** Of the code in one run. Its worker takes some 40 more. */
  readonly maxMemoryMb: number;
  /** Of what one run saves, returns and prints together. */
  readonly maxKeptBytes: number;
  readonly maxToolCalls: number;
  readonly maxToolCallsAtOnce: number;
  /** A larger result of a tool is stored first. */
  readonly maxInlineResultBytes: number;
  /** From the first call of a run to the last result. */
  readonly toolTimeoutMs: number;
}

export const CODE_LIMITS: CodeLimits = {
  maxMemoryMb: 64,
  maxKeptBytes: 268_435_456,
  maxToolCalls: 256,
  maxToolCallsAtOnce: 32,
  maxInlineResultBytes: 1_048_576,
  toolTimeoutMs: 300_000,
};

export interface CodeSettings extends CodeLimits {
  readonly tools: readonly string[];
  readonly asking: ReadonlySet<string>;
}

const schema = optionalsOf({
  tools: z.array(notEmpty("the name of a tool")),
  interruptOn: optionsByName(
    oneOf(
      [z.boolean(), z.looseObject({})],
      "true, false or an object, as humanInTheLoopMiddleware takes them",
    ),
  ),
});

/**
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or
 * `tools` is given without `interruptOn`.
 */
export function resolveCode(options: CodeOptions): CodeSettings {
  const { tools, interruptOn } = checkedOptions<CodeOptions>("code", schema, options);
  if (tools !== undefined && interruptOn === undefined) {
    refuseOptions(
      "code({ tools }) needs interruptOn beside it: the object that humanInTheLoopMiddleware has, or {} where no tool needs a person's approval.",
    );
  }
  const asking = Object.entries(interruptOn ?? {}).filter(([, rule]) => rule !== false);
  return {
    ...CODE_LIMITS,
    tools: [...new Set(tools)],
    asking: new Set(asking.map(([name]) => name)),
  };
}
