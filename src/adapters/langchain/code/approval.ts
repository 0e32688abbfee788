import type { CodeCalls } from "../../../drill-in/code/call-options.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { shorten } from "../../../util/safe-text.js";

type ApprovalRule = NonNullable<ReturnType<CodeCalls["approvalFor"]["get"]>>;

/** A call as a person is asked about it, and as the tool gets it. */
export interface ActionCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What became of a question: the call that is made, or why none is. */
export type Decision = { readonly call: ActionCall } | { readonly rejected: string };

/** An answer of the application's that is none. */
export class UnusableAnswer extends Error {}

/** Longest description of a call, in UTF-16 code units; its arguments stand whole beside it. */
const MAX_DESCRIPTION_CHARACTERS = 8000;

/** The question, as LangChain's human-in-the-loop middleware asks it. */
export function questionOf({ name, args }: ActionCall, rule: ApprovalRule): object {
  const told = `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
  const description = rule.description ?? shorten(told, MAX_DESCRIPTION_CHARACTERS);
  return {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: [...rule.allowedDecisions] }],
  };
}

/**
 * What a person decided.
 *
 * @param answer - What the application resumed the run with, unchecked.
 * @param names - The tools that code may call; an edited call may name another one of them.
 * @throws {@link UnusableAnswer}
 */
export function decisionOf(
  answer: unknown,
  call: ActionCall,
  rule: ApprovalRule,
  names: readonly string[],
): Decision {
  const decisions = fieldOf(answer, "decisions");
  if (!Array.isArray(decisions) || decisions.length !== 1) {
    throw new UnusableAnswer(
      'the answer has to be { decisions: [{ type: "approve" }] }, with one decision',
    );
  }
  const decision: unknown = decisions[0];
  const type = fieldOf(decision, "type");
  if (!rule.allowedDecisions.some((allowed) => allowed === type)) {
    throw new UnusableAnswer(`the decision has to be one of ${rule.allowedDecisions.join(", ")}`);
  }
  if (type === "approve") return { call };
  if (type === "edit") return { call: editedCall(fieldOf(decision, "editedAction"), names) };
  const message = fieldOf(decision, "message");
  return {
    rejected: typeof message === "string" ? message : `A person refused this call of ${call.name}.`,
  };
}

function editedCall(action: unknown, names: readonly string[]): ActionCall {
  const [name, args] = [fieldOf(action, "name"), fieldOf(action, "args")];
  if (typeof name !== "string" || !names.includes(name)) {
    throw new UnusableAnswer(`editedAction.name has to be one of ${names.join(", ")}`);
  }
  if (!isRecord(args)) throw new UnusableAnswer("editedAction.args has to be an object");
  return { name, args };
}
