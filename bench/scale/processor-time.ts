import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;
const IS_LINUX = process.platform === "linux";

/** Milliseconds of a processor that the programs of a name have taken, their ended children included; `NaN` where
 * the system does not tell. */
export function processorMsOf(program: string): number {
  if (!IS_LINUX) return NaN;
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(statOf(pid)) ?? [];
    if (name !== program) continue;
    // User and system, its own and of children that it has waited for.
    for (const field of rest.split(" ").slice(11, 15)) ticks += Number(field);
  }
  return (ticks * 1000) / TICKS_PER_SECOND;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

/** Milliseconds of all processors that something ran on them, and that nothing did. */
export function machineMs(): { readonly busy: number; readonly idle: number } {
  if (!IS_LINUX) return { busy: NaN, idle: NaN };
  const line = readFileSync("/proc/stat", "latin1").split("\n", 1)[0] ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...interrupts] = line
    .split(/ +/)
    .slice(1, 9)
    .map((ticks) => (Number(ticks) * 1000) / TICKS_PER_SECOND);
  const busy = interrupts.reduce((sum, ms) => sum + ms, user + nice + system);
  return { busy, idle: idle + waiting };
}
