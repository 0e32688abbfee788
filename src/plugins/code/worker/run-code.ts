import { counted } from "../../../util/amounts.js";
import type { CodeFault, CodeReply } from "../request.js";
import { type Box, type Guest, GuestMemoryError } from "./guest/guest.js";
import type { HostFunction } from "./host-function.js";
import { GuestFault, type HostPort, TimeOver } from "./host-port.js";

/** What a run has to do with. */
interface RunMeans {
  readonly guest: Guest;
  readonly host: HostFunction;
  readonly port: HostPort;
  /** Whether its time is over. */
  readonly isOver: () => boolean;
}

/** What became of the code itself. */
type CodeOutcome = Pick<CodeReply, "fault" | "outOfMemory" | "timedOut"> &
  Partial<Pick<CodeReply, "returned" | "printed">>;

/** Ends a run whose code failed. */
class CodeFailed extends Error {
  readonly fault: CodeFault;
  readonly outOfMemory: boolean;

  constructor(fault: CodeFault, outOfMemory = false) {
    super(fault.message);
    this.fault = fault;
    this.outOfMemory = outOfMemory;
  }
}

const NO_FAULT: CodeOutcome = { fault: undefined, outOfMemory: false, timedOut: false };
/** How the code is named in a stack. */
const CODE_FILE = "code.js";

const PLACE = /code\.js:(\d+)/;
const MAX_SOURCE_CHARACTERS = 120;
const MAX_MESSAGE_CHARACTERS = 1000;

/** Of what an error is told as. */
const MAX_EXPLAINED_BYTES = 65_536;
const RETURN_OUTSIDE = "SyntaxError: return not in a function";
const OUT_OF_MEMORY = "InternalError: out of memory";
const UNREADABLE = "The code ended with an error that cannot be read.";
/** What stands before the first line of code that returns, and behind the last. */
const [WRAP_START, WRAP_END] = ["(async()=>{", "\n})()"] as const;
/** Runs code in a guest to its end. */
export function runCode(code: string, { guest, host, port, isOver }: RunMeans): CodeOutcome {
  // A file's first line may name its program, which is a comment only where the line is the first of a script.
  const source = code.replace(/^#!/, "//");
  let strayError: Box | undefined;

  /** What is wrong, of an error of the guest's. */
  function failure(error: Box): CodeFailed {
    const told = guest.withReserve(() =>
      guest.text(guest.call("explain", error), MAX_EXPLAINED_BYTES),
    );
    if (isOver()) throw new TimeOver();
    if (told === undefined) return new CodeFailed({ message: UNREADABLE }, guest.isFull());
    const fault = faultOf(told, source);
    return new CodeFailed(fault, fault.message === OUT_OF_MEMORY);
  }

  /** The promise of the code: as a script, whose last expression counts, or where it returns as a function. */
  function begin(): { readonly promise: Box; readonly isScript: boolean } {
    const script = guest.evaluate(source, CODE_FILE, true);
    if (script !== 0) return { promise: script, isScript: true };
    if (isOver()) throw new TimeOver();
    const first = failure(guest.thrown());
    const called = guest.evaluate(WRAP_START + source + WRAP_END, CODE_FILE, false);
    if (called !== 0) return { promise: called, isScript: false };
    const second = failure(guest.thrown());
    throw first.message === RETURN_OUTSIDE ? second : first;
  }

  /** What a promise is fulfilled with, once all that it waits for has run. */
  function settled(promise: Box): Box {
    for (;;) {
      for (let last = guest.runJob(); last !== "none"; last = guest.runJob()) {
        if (isOver()) throw new TimeOver();
        if (last === "threw") strayError ??= guest.thrown();
      }
      const state = guest.stateOf(promise);
      if (state === "fulfilled") return guest.resultOf(promise);
      if (state === "rejected") throw failure(guest.resultOf(promise));
      if (port.openCalls() === 0)
        throw new CodeFailed({
          message: "The code waits for a promise that nothing will ever settle.",
        });
      host.settle(...port.nextCalled());
    }
  }

  /** Whether a script was asked for its value, not only for what it does. */
  function hasValue(): boolean {
    return endsInExpression(source, (body) => {
      const answer = guest.withReserve(() => guest.call("compiles", guest.box(body)));
      if (isOver()) throw new TimeOver();
      return guest.numberOf(answer) !== 0;
    });
  }

  function run(): void {
    const { promise, isScript } = begin();
    const result = settled(promise);
    const last = isScript ? guest.property(result, "value") : result;
    const value = guest.stateOf(last) === undefined ? last : settled(last);
    const reason = guest.firstRejection() ?? strayError;
    if (reason !== undefined) throw failure(reason);
    if ((!isScript || hasValue()) && guest.call("finish", value) === 0)
      throw failure(guest.thrown());
    const openCalls = port.openCalls();
    if (openCalls > 0)
      throw new CodeFailed({
        message: `The code ended before ${counted(openCalls, "call")} of its tools did.`,
      });
  }

  function outcome(): CodeOutcome {
    try {
      run();
      return NO_FAULT;
    } catch (error) {
      if (!(error instanceof CodeFailed)) throw error;
      return { ...NO_FAULT, fault: error.fault, outOfMemory: error.outOfMemory };
    }
  }

  /** What it returned and printed is there in any case. */
  function withMade(ended: CodeOutcome): CodeOutcome {
    try {
      return { ...ended, ...host.made() };
    } catch (error) {
      if (!(error instanceof GuestFault)) throw error;
      const message = `What the code made is not stored: ${error.message}`;
      return { ...ended, fault: ended.fault ?? { message } };
    }
  }

  try {
    const ended = withMade(outcome());
    // A call that nobody awaits is not left behind.
    while (port.openCalls() > 0) port.nextCalled();
    return ended;
  } catch (error) {
    return brokenBy(error);
  }
}

/** Of what ended the guest from outside of its code. */
function brokenBy(error: unknown): CodeOutcome {
  if (error instanceof TimeOver) return { ...NO_FAULT, timedOut: true };
  if (error instanceof RangeError)
    return { ...NO_FAULT, fault: { message: "RangeError: Maximum call stack size exceeded" } };
  // A trap of WebAssembly: memory that could not grow where the engine does not look.
  const isTrap = error instanceof Error && error.name === "RuntimeError";
  if (isTrap || error instanceof GuestMemoryError) return { ...NO_FAULT, outOfMemory: true };
  throw error;
}

/**
 * Where and why code failed.
 *
 * @param told - What the guest's prelude tells of an error: its stack, a zero, its name and message.
 */
function faultOf(told: string, code: string): CodeFault {
  const [stack = "", ...message] = told.split("\0");
  const fault = { message: message.join("\0").slice(0, MAX_MESSAGE_CHARACTERS) };
  const [, place] = PLACE.exec(stack) ?? [];
  if (place === undefined) return fault;
  const lines = code.split("\n");
  const line = Math.min(Number(place), lines.length);
  return { ...fault, line, source: lines[line - 1]?.trim().slice(0, MAX_SOURCE_CHARACTERS) };
}

/** Of what is compiled to find it, in UTF-16 units. */
const MAX_COMPILED_UNITS = 4_000_000;

/**
 * Whether the last statement of a script is an expression. A loop, a condition or a block has a value too, that of
 * its last turn, which nobody means. `true` where it would take long to tell.
 *
 * @param compiles - Whether a text compiles as the body of an asynchronous function. Nothing of it runs.
 */
function endsInExpression(code: string, compiles: (body: string) => boolean): boolean {
  let left = MAX_COMPILED_UNITS;
  for (const script of withoutLastComments(code)) {
    for (let at = script.length - 1; at >= -1; at -= 1) {
      // A statement begins behind another one, a line end, or at the beginning.
      if (at >= 0 && !";}\n".includes(script.charAt(at))) continue;
      const last = script.slice(at + 1).trim();
      if (last === "") continue;
      left -= last.length;
      if (left < 0) return true;
      // A brace would open a block.
      if (last.startsWith("{") || !compiles(`(${last}\n)`)) continue;
      left -= at;
      if (compiles(script.slice(0, at + 1))) return true;
    }
  }
  return false;
}

/** The script as it is, and without what may be comments at its end: one after the other, from the last. */
function* withoutLastComments(code: string): Generator<string, void> {
  let script = withoutEnd(code);
  yield script;
  for (;;) {
    const comment = script.lastIndexOf("//");
    if (comment <= script.lastIndexOf("\n")) return;
    script = withoutEnd(script.slice(0, comment));
    yield script;
  }
}

/** Without the semicolons and the white space at its end. */
function withoutEnd(script: string): string {
  let end = script.length;
  while (end > 0 && (script[end - 1] === ";" || script.charAt(end - 1).trim() === "")) end -= 1;
  return script.slice(0, end);
}
