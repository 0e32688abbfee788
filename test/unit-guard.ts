/** What a unit test may not do: start a worker thread or a process, open a connection or a server. */
import childProcess, { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import workerThreads, { Worker } from "node:worker_threads";

/** Each with the stack of its start. */
let starts: Error[] = [];

/** What was started since the last call. */
export function takeStarts(): readonly Error[] {
  const taken = starts;
  starts = [];
  return taken;
}

/** Throws when something was started since the last call, and says what. */
export function failOnStarts(): void {
  const [first] = takeStarts();
  if (first !== undefined) throw first;
}

function watch<T extends object>(holder: T, name: keyof T & string, what: string): void {
  const note = (): void => {
    const ending = "Name its file *.integration.test.ts, or test without it.";
    starts.push(new Error(`A unit test used ${what}. ${ending}`));
  };
  holder[name] = new Proxy(holder[name] as T[typeof name] & ((...args: unknown[]) => unknown), {
    apply(target, self, args) {
      // Node's own loader of modules has a thread, which is of a class of its own.
      if (!(self instanceof Worker) || self.constructor.name !== "InternalWorker") note();
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      note();
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}

// Once for a process of tests: they share this module.
watch(Worker.prototype, "postMessage", "a worker thread");
watch(workerThreads, "Worker", "a worker thread");
watch(ChildProcess.prototype, "spawn" as never, "a process");
for (const name of ["spawnSync", "execFileSync", "execSync"] as const)
  watch(childProcess, name, "a process");
watch(net.Socket.prototype, "connect", "a connection");
watch(net.Server.prototype, "listen", "a server");
syncBuiltinESMExports();
