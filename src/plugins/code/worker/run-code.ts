import type { CodeJob, CodeReply } from "../job.js";
import type { CodeFault } from "../request.js";
import { GuestFault, TimeOver } from "./ends.js";
import {
  CODE_FILE,
  faultOf,
  type GuestError,
  isOutOfMemory,
  readError,
  WRAP_END,
  WRAP_START,
} from "./fault.js";
import type { FreshGuest } from "./guest/fresh-guest.js";
import { GuestMemoryError } from "./guest/guest.js";
import type { Box } from "./guest/exports.js";
import { endsInExpression } from "./last-expression.js";
import type { HostFunction } from "./host-function.js";
import type { HostPort } from "./host-port.js";
import type { Rejections } from "./guest/rejections.js";

/** What a run has to do with. */
export interface RunMeans {
  readonly host: HostFunction;
  readonly port: HostPort;
  readonly rejections: Rejections;
  /** Whether its time is over. */
  readonly isOver: () => boolean;
}

/** What became of the code itself. */
export type CodeOutcome = Pick<CodeReply, "fault" | "outOfMemory" | "timedOut"> &
  Partial<Pick<CodeReply, "returned" | "printed">>;

const NO_FAULT: CodeOutcome = { fault: undefined, outOfMemory: false, timedOut: false };
/** Of what an error is told as. */
const MAX_EXPLAINED_BYTES = 65_536;
const RETURN_OUTSIDE = "return not in a function";
const UNREADABLE: GuestError = {
  name: "",
  message: "The code ended with an error that cannot be read.",
  stack: "",
};
const NEVER_SETTLES: CodeFault = {
  message: "The code waits for a promise that nothing will ever settle.",
};

/** Runs code in a guest to its end. */
export function runCode(
  { code }: Pick<CodeJob, "code">,
  { guest, finish, explain, settle, compiles }: FreshGuest,
  { host, port, rejections, isOver }: RunMeans,
): CodeOutcome {
  let isWrapped = false;
  let strayError: Box | undefined;
  // A file's first line may name its program, which is a comment only where the line is the first of a script.
  const source = code.replace(/^#!/, "//");

  function explained(error: Box): GuestError {
    const json = guest.withReserve(() =>
      guest.text(guest.call(explain, error), MAX_EXPLAINED_BYTES),
    );
    if (isOver()) throw new TimeOver();
    return (json === undefined ? undefined : readError(json)) ?? UNREADABLE;
  }

  function failed(error: GuestError): CodeOutcome {
    const fault = faultOf(error, code);
    const outOfMemory = isOutOfMemory(error) || (error === UNREADABLE && guest.isFull());
    return { ...NO_FAULT, fault, outOfMemory };
  }

  /** The promise of the code: as a script, whose last expression counts, or where it returns as a function. */
  function begin(): Box | GuestError {
    const script = guest.evaluate(source, CODE_FILE, true);
    if (script !== 0) return script;
    if (isOver()) throw new TimeOver();
    const first = explained(guest.thrown());
    isWrapped = true;
    const called = guest.evaluate(WRAP_START + source + WRAP_END, CODE_FILE, false);
    if (called !== 0) return called;
    const second = explained(guest.thrown());
    isWrapped = first.message === RETURN_OUTSIDE;
    return isWrapped ? second : first;
  }

  function runJobs(): void {
    for (let last = guest.runJob(); last !== "none"; last = guest.runJob()) {
      if (isOver()) throw new TimeOver();
      if (last === "threw") strayError ??= guest.thrown();
    }
  }

  /** Whether a script was asked for its value, not only for what it does. */
  function hasValue(): boolean {
    return endsInExpression(source, (body) => {
      const answer = guest.withReserve(() => guest.call(compiles, guest.string(body)));
      if (isOver()) throw new TimeOver();
      return guest.numberOf(answer) !== 0;
    });
  }

  /** Runs what a promise waits for; `false` when nothing will settle it. */
  function settled(promise: Box): boolean {
    for (;;) {
      runJobs();
      if (guest.stateOf(promise) !== "pending") return true;
      if (port.openCalls() === 0) return false;
      host.settle(port.nextCalled(), settle);
    }
  }

  /** The value of a promise, of a script's that of the promise which this is; or why there is none. */
  function valueOf(promise: Box, isScript: boolean): Box | CodeOutcome {
    if (!settled(promise)) return { ...NO_FAULT, fault: NEVER_SETTLES };
    const result = guest.resultOf(promise);
    if (guest.stateOf(promise) === "rejected") return failed(explained(result));
    if (!isScript) return result;
    const value = guest.property(result, "value");
    return guest.stateOf(value) === undefined ? value : valueOf(value, false);
  }

  function finished(value: Box): CodeOutcome {
    const reason = rejections.first() ?? strayError;
    if (reason !== undefined) return failed(explained(reason));
    const isGiven = isWrapped || hasValue();
    if (isGiven && guest.call(finish, value) === 0) return failed(explained(guest.thrown()));
    const openCalls = port.openCalls();
    return openCalls === 0 ? NO_FAULT : { ...NO_FAULT, fault: notAwaited(openCalls) };
  }

  function result(): CodeOutcome {
    const begun = begin();
    if (typeof begun !== "number") return failed(begun);
    const value = valueOf(begun, !isWrapped);
    return typeof value === "number" ? finished(value) : value;
  }

  /** What it returned and printed is there in any case. */
  function withMade(outcome: CodeOutcome): CodeOutcome {
    try {
      return { ...outcome, ...host.made() };
    } catch (error) {
      if (!(error instanceof GuestFault)) throw error;
      const fault = outcome.fault ?? {
        message: `What the code made is not stored: ${error.message}`,
      };
      return { ...outcome, fault };
    }
  }

  try {
    const outcome = withMade(result());
    // A call that nobody awaits is not left behind.
    while (port.openCalls() > 0) port.nextCalled();
    return outcome;
  } catch (error) {
    return brokenBy(error);
  }
}

/** Of what ended the guest from outside of its code. */
function brokenBy(error: unknown): CodeOutcome {
  if (error instanceof TimeOver) return { ...NO_FAULT, timedOut: true };
  if (error instanceof GuestMemoryError) return { ...NO_FAULT, outOfMemory: true };
  if (error instanceof RangeError)
    return { ...NO_FAULT, fault: { message: "RangeError: Maximum call stack size exceeded" } };
  // A trap of WebAssembly: memory that could not grow where the engine does not look.
  if (error instanceof Error && error.name === "RuntimeError")
    return { ...NO_FAULT, outOfMemory: true };
  throw error;
}

function notAwaited(count: number): CodeFault {
  const calls = count === 1 ? "A call of a tool was" : `${count} calls of tools were`;
  return { message: `${calls} still under way when the code ended.` };
}
