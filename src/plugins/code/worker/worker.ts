import { parentPort, workerData } from "node:worker_threads";

import { beginRun, type OwnRun, type RunEnd } from "../../../core/engines/run-status.js";
import type { CodeJob, CodeResult, CodeWorkerData } from "../request.js";
import { createHost, type Host } from "./host.js";
import { type Box, SandboxFault, SandboxMemoryError, SandboxVm, TimeOver } from "./sandbox-vm.js";

const CODE_FILE = "code.js";
const [WRAP_START, WRAP_END] = ["(async()=>{", "\n})()"] as const;
const MAX_EXPLAINED_BYTES = 65_536;
const UNREADABLE = "The code ended with an error that cannot be read.";
const UNSETTLED = "The code waits for a promise that nothing will ever settle.";
const OUT_OF_MEMORY = "InternalError: out of memory";

type CodeOutcome = Partial<RunEnd>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the engine starts its workers with
const data = workerData as CodeWorkerData;
let prepared = new SandboxVm(data);

parentPort?.on("message", (job: CodeJob) => {
  const reply = run(job, prepared);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
  prepared = new SandboxVm(data);
});

function run(job: CodeJob, vm: SandboxVm): CodeResult {
  const own = beginRun(job.softTimeoutMs);
  const host = createHost(job, vm, own, data.sandboxMemoryBytes);
  vm.calls = { host: host.call, isStopped: () => own.isOver() };
  try {
    const outcome = outcomeOf(() => runCode(job, vm, host, own));
    const { error, timedOut, outOfMemory } = outcome;
    if (error === undefined && (timedOut || outOfMemory)) return { ...host.done(), ...outcome };
    // What it returned and printed stays, even when it failed.
    return { ...host.done(), ...outcome, ...outcomeOf(() => host.made()) };
  } finally {
    vm.calls = undefined;
    host.close();
  }
}

function outcomeOf<T extends object>(step: () => T): T | CodeOutcome {
  try {
    return step();
  } catch (error) {
    if (error instanceof TimeOver) return { timedOut: true };
    if (error instanceof SandboxFault)
      return { error: `What the code made is not stored: ${error.message}` };
    if (error instanceof RangeError)
      return { error: "RangeError: Maximum call stack size exceeded" };
    // A WebAssembly trap: memory could not grow where QuickJS does not check.
    const isTrap = error instanceof Error && error.name === "RuntimeError";
    if (isTrap || error instanceof SandboxMemoryError) return { outOfMemory: true };
    throw error;
  }
}

/**
 * Runs code until none of it is left to run, including tool calls that it did not await.
 * @throws What ends the vm from outside its code.
 */
function runCode(
  { code, toolNames }: CodeJob,
  vm: SandboxVm,
  host: Host,
  own: OwnRun,
): CodeOutcome {
  function failure(error: Box): CodeOutcome {
    const lines = code.split("\n").length;
    const told = vm.withReserve(() =>
      vm.text(vm.call("explain", error, vm.box(lines)), MAX_EXPLAINED_BYTES),
    );
    if (own.isOver()) return { timedOut: true };
    const message = told ?? UNREADABLE;
    return { error: message, outOfMemory: message.startsWith(OUT_OF_MEMORY) };
  }

  if (toolNames.length > 0) vm.free(vm.call("offer", vm.box(JSON.stringify(toolNames))));
  const promise = vm.evaluate(WRAP_START + code + WRAP_END, CODE_FILE);
  if (promise === 0) return failure(vm.thrown());
  do {
    while (vm.hasJob()) {
      const end = vm.runJob();
      if (own.isOver()) return { timedOut: true };
      if (end !== undefined) return failure(end);
    }
  } while (host.settleNext());
  const { value, reason } = vm.settled(promise);
  if (reason !== undefined) return failure(reason);
  if (value === undefined) return { error: UNSETTLED };
  return vm.call("finish", value) === 0 ? failure(vm.thrown()) : {};
}
