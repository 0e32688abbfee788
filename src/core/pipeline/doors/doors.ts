import { isSelected, type Selection } from "../../decide/scope.js";
import type { TurnLimits } from "../../decide/turn/turn-limits.js";
import type { Describer } from "../../describe/describer.js";
import type { TokenMeasure } from "../../measure/measure.js";
import type { Decide, Door } from "../call.js";
import type { Recoveries } from "../recover.js";
import { isShortText } from "./short-text.js";
import { always, neverShortened, shared, within } from "./verdicts.js";

/** By which door an output comes in. Nothing else asks where one comes from. */
export interface Doors {
  /** What a tool returned. */
  readonly toolResult: Door;
  /** What a tool's own code wants out of the context, whatever its size. */
  readonly toolValue: Door;
  /** A message of the user, which is stored or stays whole. */
  readonly userMessage: (describer: Describer) => Door;
  /** A value that code stores, which rejects where it cannot. */
  readonly put: Door;
}

/** Makes the doors of one offloader. */
export function createDoors(parts: {
  readonly measure: TokenMeasure;
  readonly selection: Selection;
  readonly turnLimits: TurnLimits | undefined;
  /** Whether what counts tokens never finds more than there are bytes. */
  readonly countsBytes: boolean;
  readonly recoveries: Recoveries;
}): Doors {
  const { measure, selection, turnLimits, countsBytes, recoveries } = parts;
  const { ladder, stayInline, reject } = recoveries;
  const inTurn = (decide: Decide): Decide =>
    turnLimits === undefined ? decide : shared(decide, turnLimits, measure);

  const toolValue: Door = {
    admits: all,
    isShort: never,
    select: asIs,
    decide: inTurn(always(measure)),
    describer: ({ describe }) => describe.describer,
    recover: ladder,
  };
  const toolResult: Door = {
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
const asIs: Door["select"] = (payload) => Promise.resolve(payload);
const theSetBehind: Door["select"] = async (payload, { selectResultSet }) => {
  if (selectResultSet === undefined || payload.standIn === undefined) return payload;
  return payload.standIn(await selectResultSet(payload.output));
};
