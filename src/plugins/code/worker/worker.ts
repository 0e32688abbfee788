import { parentPort, workerData } from "node:worker_threads";

import { beginRun, type OwnRun } from "../../../core/engines/run-status.js";
import type { CodeFault, CodeJob, CodeReply, CodeWorkerData } from "../request.js";
import { type Box, Guest, GuestMemoryError } from "./guest.js";
import { createHostFunction, type HostFunction } from "./host-function.js";
import { GuestFault, type HostPort, openHostPort, TimeOver } from "./host-port.js";

const CODE_FILE = "code.js";
const PLACE = /code\.js:(\d+)/;
const [WRAP_START, WRAP_END] = ["(async()=>{", "\n})()"] as const;
const MAX_SOURCE_CHARACTERS = 120;
const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_EXPLAINED_BYTES = 65_536;
const OUT_OF_MEMORY = "InternalError: out of memory";

type CodeOutcome = Pick<CodeReply, "fault" | "outOfMemory" | "timedOut">;

class CodeFailed extends Error {
  readonly outcome: CodeOutcome;

  constructor(fault: CodeFault, outOfMemory = false) {
    super(fault.message);
    this.outcome = { fault, outOfMemory };
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the engine starts its workers with
const data = workerData as CodeWorkerData;
let prepared = new Guest(data, []);

parentPort?.on("message", (job: CodeJob) => {
  const hasTools = job.toolNames.length > 0;
  const reply = run(job, hasTools ? new Guest(data, job.toolNames) : prepared);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
  if (!hasTools) prepared = new Guest(data, []);
});

function run(job: CodeJob, guest: Guest): CodeReply {
  const own = beginRun(job.softTimeoutMs);
  const port = openHostPort(job, own);
  const host = createHostFunction(job, guest, port, data.guestMemoryBytes);
  guest.calls = { host: host.call, isStopped: () => own.isOver() };
  try {
    const outcome = outcomeOf(() => runCode(job.code, { guest, host, port, own }));
    const { fault, timedOut, outOfMemory } = outcome;
    if (fault === undefined && (timedOut || outOfMemory)) return { ...host.done(), ...outcome };
    // What it returned and printed is there, also where it failed.
    return { ...host.done(), ...outcome, ...outcomeOf(() => host.made()) };
  } finally {
    guest.calls = undefined;
    host.close();
    job.port.close();
  }
}

function outcomeOf<T extends object>(step: () => T): T | CodeOutcome {
  try {
    return step();
  } catch (error) {
    if (error instanceof CodeFailed) return error.outcome;
    if (error instanceof TimeOver) return { timedOut: true };
    if (error instanceof GuestFault)
      return { fault: { message: `What the code made is not stored: ${error.message}` } };
    if (error instanceof RangeError)
      return { fault: { message: "RangeError: Maximum call stack size exceeded" } };
    // A trap of WebAssembly: memory that could not grow where the engine does not look.
    const isTrap = error instanceof Error && error.name === "RuntimeError";
    if (isTrap || error instanceof GuestMemoryError) return { outOfMemory: true };
    throw error;
  }
}

interface RunMeans {
  readonly guest: Guest;
  readonly host: HostFunction;
  readonly port: HostPort;
  readonly own: OwnRun;
}

/**
 * Runs code in a guest until nothing of it is left to run, calls of tools that it did not wait for included.
 *
 * @throws {@link CodeFailed}, and whatever ends the guest from outside of its code.
 */
function runCode(code: string, { guest, host, port, own }: RunMeans): CodeOutcome {
  function failure(error: Box): CodeFailed {
    const told = guest.withReserve(() =>
      guest.text(guest.call("explain", error), MAX_EXPLAINED_BYTES),
    );
    if (own.isOver()) throw new TimeOver();
    if (told === undefined)
      return new CodeFailed(
        { message: "The code ended with an error that cannot be read." },
        guest.isFull(),
      );
    const fault = faultOf(told, code);
    return new CodeFailed(fault, fault.message === OUT_OF_MEMORY);
  }

  const promise = guest.evaluate(WRAP_START + code + WRAP_END, CODE_FILE);
  if (promise === 0) throw failure(guest.thrown());
  for (;;) {
    while (guest.runJob()) if (own.isOver()) throw new TimeOver();
    if (port.openCalls() === 0) break;
    host.settle(...port.nextCalled());
  }
  const state = guest.stateOf(promise);
  if (state === "rejected") throw failure(guest.resultOf(promise));
  if (state === "pending")
    throw new CodeFailed({
      message: "The code waits for a promise that nothing will ever settle.",
    });
  const reason = guest.firstRejection();
  if (reason !== undefined) throw failure(reason);
  if (guest.call("finish", guest.resultOf(promise)) === 0) throw failure(guest.thrown());
  return {};
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
