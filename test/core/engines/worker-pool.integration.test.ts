import { afterEach, describe, expect, it } from "vitest";

import { ENDED, type RunEnd } from "../../../src/core/engines/run-status.js";
import { createWorkerPool, type WorkerPool } from "../../../src/core/engines/worker-pool.js";

interface Result extends RunEnd {
  readonly said: string;
}

const NOTHING: Result = { said: "", ...ENDED };

type Job = {
  readonly say?: string;
  readonly how?: "loop" | "throw" | "exit" | "eat" | "env";
};

const CODE = `
const { parentPort, threadId, workerData } = require("node:worker_threads");
parentPort.on("message", (job) => {
  workerData.runStatus[0] = 1;
  if (job.how === "loop") for (;;);
  if (job.how === "throw") throw new Error("broken");
  if (job.how === "exit") process.exit(3);
  if (job.how === "env") return parentPort.postMessage({ said: JSON.stringify(process.env) });
  if (job.how === "eat") { const kept = []; for (;;) kept.push(new Array(1e5).fill(Math.random())); }
  console.log("noise".repeat(1000));
  parentPort.postMessage({ said: job.say + "@" + threadId });
});`;

const LIMITS = { maxMemoryMb: 32, maxWorkers: 1, maxQueueMs: 5000, maxQueuedRuns: 2 };

const pools: WorkerPool<Job, Result>[] = [];

function pool(limits: Partial<typeof LIMITS> = {}): WorkerPool<Job, Result> {
  const all = { ...LIMITS, ...limits };
  const made = createWorkerPool<Job, Result>("It", NOTHING, async () => ({ source: CODE }), all);
  pools.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((made) => made.close()));
});

async function threadOf(made: WorkerPool<Job, Result>): Promise<string> {
  return (await made.run({ say: "hello" }, 5000)).said;
}

describe("worker pool", () => {
  it("ends a run at its time and answers the next one with a new worker", async () => {
    const made = pool();
    const before = await threadOf(made);
    expect(await made.run({ how: "loop" }, 300)).toMatchObject({ timedOut: true });
    expect(await threadOf(made)).not.toBe(before);
  });

  it("ends the worker of an aborted run and passes the reason on", async () => {
    const made = pool();
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(new Error("enough")), 100);
    await expect(made.run({ how: "loop" }, 10_000, aborter.signal)).rejects.toThrow("enough");
    expect(await threadOf(made)).toMatch(/^hello@/);
  });

  it.each([
    ["throw", { error: "It stopped without an answer: Error: broken" }],
    ["exit", { error: expect.stringMatching(/^It stopped without an answer: Error: /) }],
    ["eat", { outOfMemory: true }],
  ] as const)("survives a worker that ends by %s", async (how, outcome) => {
    const made = pool();
    expect(await made.run({ how }, 20_000)).toEqual({ ...NOTHING, ...outcome });
    expect(await threadOf(made)).toMatch(/^hello@/);
  });

  it("runs no more at once than it has workers, and queues the rest in order", async () => {
    const made = pool({ maxQueuedRuns: 10 });
    const order: number[] = [];
    const outcomes = await Promise.all(
      [0, 1, 2, 3, 4].map(async (i) => {
        const outcome = await made.run({ say: "hello" }, 5000);
        order.push(i);
        return outcome;
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  });

  it("keeps no more than sixteen idle workers of all pools, those that worked last", async () => {
    const all = Array.from({ length: 17 }, () => pool());
    const threads: string[] = [];
    for (const made of all) threads.push(await threadOf(made));
    expect(await threadOf(all[1]!)).toBe(threads[1]);
    expect(await threadOf(all[0]!)).not.toBe(threads[0]);
  });

  it("refuses one run more than may wait", async () => {
    const made = pool({ maxQueuedRuns: 1 });
    const busy = made.run({ how: "loop" }, 400);
    const waiting = made.run({ say: "waits" }, 5000);
    await expect(made.run({ say: "x" }, 5000)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(await busy).toMatchObject({ timedOut: true });
    expect(await waiting).toMatchObject({ said: expect.stringMatching(/^waits@/) });
  });

  it("gives workers no variable of the environment", async () => {
    expect(await pool().run({ how: "env" }, 5000)).toEqual({ said: "{}" });
  });

  it("ends running, waiting and later runs when it closes", async () => {
    const made = pool();
    const running = made.run({ how: "loop" }, 10_000);
    const waiting = made.run({ say: "x" }, 10_000);
    const ended = Promise.allSettled([running, waiting]);
    await made.close();
    expect(await ended).toMatchObject([
      { status: "rejected", reason: { code: "LIMIT_EXCEEDED" } },
      { status: "rejected", reason: { code: "LIMIT_EXCEEDED" } },
    ]);
    await expect(made.run({ say: "x" }, 1000)).rejects.toThrow("closed");
  });
});
