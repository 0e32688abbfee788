import * as z from "zod";

import {
  count,
  lifeMs,
  notEmpty,
  oneOf,
  optionsOf,
  optionsByName,
  timerMs,
} from "../../util/option-rules.js";

/** What a person may do with a call that waits for approval. */
export type ApprovalDecision = "approve" | "edit" | "reject";

/** How a person is asked about the calls of one tool. */
export interface ApprovalRule {
  /** @defaultValue `["approve", "edit", "reject"]` */
  readonly allowedDecisions?: readonly ApprovalDecision[];
  /** What the person reads. @defaultValue the tool's name and its arguments */
  readonly description?: string;
}

/** Which tools of the agent code may call, and within what. */
export interface CodeCallOptions {
  /** Names of tools of the agent. Code can call no other. @defaultValue none */
  readonly tools?: readonly string[];
  /**
   * Of these, the tools that run only after a person has agreed to the call: by name, or with how that person is asked.
   * Approvals of `humanInTheLoopMiddleware` never see a call that code makes, so this has to name each tool that its
   * `interruptOn` names.
   *
   * @defaultValue none
   */
  readonly approvalFor?: readonly string[] | Readonly<Record<string, ApprovalRule>>;
  /** Calls that one run may make; more are exceptions in the code. @defaultValue `256` */
  readonly maxToolCalls?: number;
  /** Calls of one run that go on at once; more wait. @defaultValue `32` */
  readonly maxToolCallsAtOnce?: number;
  /** A result of more bytes is stored first, and the code reads it as a stored output. @defaultValue `1_048_576` */
  readonly maxInlineResultBytes?: number;
  /** A result of more bytes is an exception in the code. @defaultValue `268_435_456` */
  readonly maxResultBytes?: number;
  /**
   * Longest time from the first call of a run to the last one's result, in milliseconds on the wall. The time in which
   * a person decides is not in it.
   *
   * @defaultValue `300_000`
   */
  readonly toolTimeoutMs?: number;
  /**
   * How long the finished calls of a run that waits for a person are kept, in milliseconds from the latest that it did, or,
   * in a store that cannot move an expiry, from the first. A run that is resumed later makes its calls again, and asks again.
   *
   * @defaultValue `604_800_000`, a week
   */
  readonly approvalTtlMs?: number;
}

/** {@link CodeCallOptions} after defaults. */
export interface CodeCalls extends Required<Omit<CodeCallOptions, "approvalFor">> {
  readonly approvalFor: ReadonlyMap<
    string,
    Required<Pick<ApprovalRule, "allowedDecisions">> & ApprovalRule
  >;
}

const DECISIONS: readonly ApprovalDecision[] = ["approve", "edit", "reject"];
const toolName = notEmpty("the name of a tool");
const approvalRule = optionsOf({
  allowedDecisions: z.array(z.enum(DECISIONS)).min(1).optional(),
  description: z.string().optional(),
});

/** The rules of these options, to stand among those of `codeEngine()`. */
export const CODE_CALL_RULES: Readonly<Record<keyof CodeCallOptions, z.ZodType>> = {
  tools: z.array(toolName).optional(),
  approvalFor: oneOf(
    [z.array(toolName), optionsByName(approvalRule)],
    'names of tools, or { name: { allowedDecisions: ["approve", "reject"] } }',
  ).optional(),
  maxToolCalls: count.optional(),
  maxToolCallsAtOnce: count.optional(),
  maxInlineResultBytes: count.optional(),
  maxResultBytes: count.optional(),
  toolTimeoutMs: timerMs.optional(),
  approvalTtlMs: lifeMs.optional(),
};

/** The options with every default filled in. */
export function resolveCodeCalls(given: CodeCallOptions): CodeCalls {
  const { approvalFor = [] } = given;
  const rules: readonly (readonly [string, ApprovalRule])[] = isNames(approvalFor)
    ? approvalFor.map((name) => [name, {}])
    : Object.entries(approvalFor);
  return {
    tools: [...new Set(given.tools)],
    approvalFor: new Map(
      rules.map(([name, rule]) => [name, { allowedDecisions: DECISIONS, ...rule }]),
    ),
    maxToolCalls: given.maxToolCalls ?? 256,
    maxToolCallsAtOnce: given.maxToolCallsAtOnce ?? 32,
    maxInlineResultBytes: given.maxInlineResultBytes ?? 1_048_576,
    maxResultBytes: given.maxResultBytes ?? 268_435_456,
    toolTimeoutMs: given.toolTimeoutMs ?? 300_000,
    approvalTtlMs: given.approvalTtlMs ?? 604_800_000,
  };
}

function isNames(given: NonNullable<CodeCallOptions["approvalFor"]>): given is readonly string[] {
  return Array.isArray(given);
}
