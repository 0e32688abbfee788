import { isSelected, type Selection } from "../../decide/scope.js";
import type { TurnLimits } from "../../decide/turn/turn-limits.js";
import { describeUserMessage } from "../../describe/user-message.js";
import type { TokenMeasure } from "../../measure/measure.js";
import type { ToolOutput } from "../../types/output.js";
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
  readonly userMessage: Door;
  /** One that leaves whatever its size. */
  readonly largeUserMessage: Door;
  /** A value that code stores, which rejects where it cannot. */
  readonly put: Door;
  readonly putUserMessage: Door;
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
  const userMessage: Door = {
    admits: (_output, { enabled }) => enabled,
    isShort: never,
    select: asIs,
    decide: neverShortened(within(measure)),
    describer: () => describeUserMessage,
    recover: stayInline,
  };
  const largeUserMessage = { ...userMessage, admits: all, decide: always(measure) };
  return {
    toolResult,
    toolValue,
    userMessage,
    largeUserMessage,
    put: { ...toolValue, decide: always(measure), recover: reject },
    putUserMessage: { ...largeUserMessage, recover: reject },
  };
}

/** The door of an output that says itself where it comes from. */
export function doorOf({ always: isLarge, origin }: ToolOutput, doors: Doors): Door {
  if (origin === "user") return isLarge ? doors.largeUserMessage : doors.userMessage;
  return isLarge ? doors.toolValue : doors.toolResult;
}

const all = (): boolean => true;
const never = (): boolean => false;
const asIs: Door["select"] = (payload) => Promise.resolve(payload);
const theSetBehind: Door["select"] = async (payload, { selectResultSet }) => {
  if (selectResultSet === undefined || payload.standIn === undefined) return payload;
  return payload.standIn(await selectResultSet(payload.output));
};
