import { readFileSync, readlinkSync } from "node:fs";

/** Linux tells it in hundredths of a second, whatever its clock is. */
const MS_PER_TICK = 10;
/** Places of the two numbers behind the name, which may hold anything but ends with the last bracket. */
const USER = 11;
const SYSTEM = 12;

export const OWN_THREAD = "/proc/thread-self/stat";
export const OWN_PROCESS = "/proc/self/stat";

/** Where another thread of this process is told of. */
export function threadPath(threadId: number): string {
  return `/proc/self/task/${threadId}/stat`;
}

/** Where another process is told of, with all its threads. */
export function processPath(processId: number): string {
  return `/proc/${processId}/stat`;
}

/** The system's number of this thread; `undefined` where it tells none. */
export function ownThreadId(): number | undefined {
  try {
    const id = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    return id > 0 ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Processor time that a thread or a process has had since its start, in milliseconds; `undefined` where the system,
 * any other than Linux, does not tell it.
 */
export function processorTimeMs(path: string): number | undefined {
  try {
    const stat = readFileSync(path, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ms = (Number(fields[USER]) + Number(fields[SYSTEM])) * MS_PER_TICK;
    return Number.isFinite(ms) ? ms : undefined;
  } catch {
    return undefined;
  }
}
