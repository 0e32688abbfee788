import { type Selection, isSelected } from "../decide/selector.js";
import type { TurnBudget } from "../decide/turn/turn-budget.js";
import { type TurnLimits, createTurnLimits } from "../decide/turn/turn-limits.js";
import type { Describer } from "../describe/describer.js";
import { headAndTail } from "../describe/head-and-tail.js";
import { type TokenMeasure, tokenCounter } from "../measure/measure.js";
import type { ResolvedOffloadOptions } from "../options/options.js";
import type { Call, Decide, SourcePolicy } from "./call.js";
import type { Recoveries } from "./recover.js";
import { withDeadline } from "../../util/abort.js";
import { always, neverShortened, shared, within } from "./decisions.js";

export interface SourcePolicies {
  readonly toolResult: SourcePolicy;
  readonly toolValue: SourcePolicy;
  readonly userMessage: (describer: Describer) => SourcePolicy;
  readonly put: SourcePolicy;
}

export function createSourcePolicies(
  selection: Selection & Pick<ResolvedOffloadOptions, "tokenizer" | "turnBudget">,
  measure: TokenMeasure,
  { ladder, stayInline, reject }: Recoveries,
): SourcePolicies {
  const { turnBudget, tokenizer } = selection;
  const turnLimits = turnBudget && turnLimitsOf(turnBudget, measure);
  // A custom counter may count more tokens than bytes.
  const countsBytes = typeof tokenizer !== "function";
  const inTurn = (decide: Decide): Decide =>
    turnLimits === undefined ? decide : shared(decide, turnLimits, measure);

  const toolValue: SourcePolicy = {
    admits: all,
    isShort: never,
    select: asIs,
    decide: inTurn(always(measure)),
    describer: ({ describe }) => describe.describer,
    recover: ladder,
  };
  const toolResult: SourcePolicy = {
    ...toolValue,
    admits: (output, { enabled }) => isSelected(output, selection) && enabled,
    isShort: turnLimits === undefined && countsBytes ? isShortText : never,
    select: theSetBehind,
    decide: inTurn(within(measure)),
  };
  return {
    toolResult,
    toolValue,
    userMessage: (describer) => ({
      admits: (_output, { enabled }) => enabled,
      isShort: never,
      select: asIs,
      decide: neverShortened(within(measure)),
      describer: () => describer,
      recover: stayInline,
    }),
    put: { ...toolValue, decide: always(measure), recover: reject },
  };
}

const all = (): boolean => true;
const never = (): boolean => false;
const asIs: SourcePolicy["select"] = (payload) => Promise.resolve(payload);
const SELECT_MS = 60_000;
const theSetBehind: SourcePolicy["select"] = async (payload, { selectResultSet }) => {
  if (selectResultSet === undefined || payload.substitute === undefined) return payload;
  const late = `selectResultSet gave nothing within ${SELECT_MS} ms.`;
  const select = async (): Promise<unknown> => selectResultSet(payload.output);
  return payload.substitute(await withDeadline({ timeoutMs: SELECT_MS, late }, select));
};

const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function turnLimitsOf(budget: TurnBudget, measure: TokenMeasure): TurnLimits {
  const count = tokenCounter(measure);
  const least = async (): Promise<number> => {
    const { leastForm } = await import("../describe/forms/short-forms.js");
    return await count(leastForm().render(ANY_ID));
  };
  let leastTokens: Promise<number> | undefined;
  return createTurnLimits(budget, {
    measure,
    leastTokens: () => (leastTokens ??= least()),
    tokensLeft: async (text, limit) =>
      await count((await headAndTail({ text, limit, count })).text),
  });
}

const MAX_BYTES_PER_UNIT = 3;

function isShortText({ output, options }: Call): boolean {
  const { value, artifact } = output;
  const { selectResultSet, shortBytes } = options;
  // The artifact or result set may be judged instead.
  if (typeof value !== "string" || value === "" || artifact !== undefined) return false;
  if (selectResultSet !== undefined || value.length > shortBytes) return false;
  return value.length * MAX_BYTES_PER_UNIT <= shortBytes || Buffer.byteLength(value) <= shortBytes;
}
