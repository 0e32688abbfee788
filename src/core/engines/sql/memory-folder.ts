import { statfsSync } from "node:fs";

const SHARED_MEMORY = "/dev/shm";
/** How Linux calls a file system that has no disk. */
const TMPFS = 0x0102_1994;

/** A folder whose files are in memory and on no disk; `undefined` where the system has none. */
export function memoryFolder(): string | undefined {
  try {
    return process.platform === "linux" && statfsSync(SHARED_MEMORY).type === TMPFS
      ? SHARED_MEMORY
      : undefined;
  } catch {
    return undefined;
  }
}
