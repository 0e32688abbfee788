import { setTimeout } from "node:timers/promises";

import fc from "fast-check";

import { startEngine } from "../src/plugins/code/engine.js";
import type { CodeHost } from "../src/plugins/code/request.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { programs } from "./programs.js";
import type { Broken } from "./round.js";

const PROGRAMS_OF_A_ROUND = 6;
const TIMEOUT_MS = 300;
const MAX_OUTPUT_BYTES = 10_000;
/** Longest that a run may take on a busy machine. */
const PATIENCE_MS = 30_000;
/** The guest, its worker, and what V8 has not collected of those before. */
const MAX_GROWTH_BYTES = 500 * 1024 * 1024;
/** Of what names the host: nothing that a program gives may have it. */
const HOST = [process.cwd(), process.execPath, "node:internal", "file://"];

/** Runs generated programs, and checks that each ends with a result that has nothing of the host. */
export async function playPrograms(seed: number): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  const limits = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: TIMEOUT_MS };
  const engine = startEngine(limits, { maxMemoryMb: 32, maxKeptBytes: 5_000_000 });
  const bytesBefore = process.memoryUsage.rss();
  const codes = fc.sample(programs, { seed, numRuns: PROGRAMS_OF_A_ROUND });
  for (const code of codes) {
    const note = (rule: string, what: string): void => {
      broken.push({
        rule,
        what: `${what}: ${JSON.stringify(code).slice(0, 300)}`,
        at: `round ${seed}, code`,
      });
    };
    const running = engine.run({ code, host, maxOutputBytes: MAX_OUTPUT_BYTES });
    const late = new AbortController();
    const lateness = setTimeout(PATIENCE_MS, "late" as const, { signal: late.signal });
    lateness.catch(() => {});
    try {
      const result = await Promise.race([running, lateness]);
      if (result === "late") {
        note("6: code ends", `no end after ${PATIENCE_MS / 1000} s`);
        break;
      }
      const told = JSON.stringify(result);
      for (const word of HOST)
        if (told.includes(word)) note("6: nothing of the host is visible", word);
      if (told.length > 10 * MAX_OUTPUT_BYTES)
        note("6: what code gives is bounded", String(told.length));
    } catch (error) {
      note("6: code ends with a result", String(error).slice(0, 300));
    } finally {
      late.abort();
    }
  }
  await engine.close();
  const grownBytes = process.memoryUsage.rss() - bytesBefore;
  if (grownBytes > MAX_GROWTH_BYTES)
    broken.push({
      rule: "6: memory is bounded",
      what: `${grownBytes} bytes more`,
      at: `round ${seed}, code`,
    });
  return broken;
}

const source = (text: string): { readonly bytes: Uint8Array } => ({ bytes: Buffer.from(text) });
const bodies = {
  r: { id: "r", layout: "records", sets: undefined, source: source('{"a":1}\n{"a":2}\n') },
  t: { id: "t", layout: "text", sets: undefined, source: source("one\ntwo\n") },
} as const;

const host: CodeHost = {
  async open(reference) {
    if (reference === "r" || reference === "t") return bodies[reference];
    throw new Error("there is no such output");
  },
  async keep({ pieces }) {
    for await (const _ of pieces);
    return "kept";
  },
};
