/** One process of the simulation: its agents share a store, its connections, and one event loop. */
import { setTimeout as wait } from "node:timers/promises";

import { randomNumbers } from "../corpus.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";
import { type SourcePolicy, offloaderDoor, storeDoor } from "./sources.js";
import {
  type Figures,
  type Load,
  type Message,
  noFigures,
  noteFault,
  type Opening,
} from "./messages.js";
import { anyKind, anyQuestion, anySize, type Random } from "./mix.js";
import { openStore } from "./open-store.js";
import type { ArtifactStore } from "../../src/core/store/artifact-store.js";

/** A store whose calls are noted. */
interface TimedStore extends ArtifactStore {
  /** Bytes that it has stored, without those that it has swept, whoever stored them. */
  livingBytes(): number;
}

/** The same store, whose calls are noted in what `figures` gives. */
function timedStore(store: ArtifactStore, figures: () => Figures): TimedStore {
  let livingBytes = 0;
  async function timed<T>(kind: "put" | "fetch" | "sweep", job: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await job();
    } finally {
      figures()[kind].push(performance.now() - start);
    }
  }
  return {
    ...store,
    livingBytes: () => livingBytes,
    put: async (artifact, body) => {
      const stored = await timed("put", () => store.put(artifact, body));
      figures().storedBytes += artifact.sizeBytes;
      livingBytes += artifact.sizeBytes;
      return stored;
    },
    read: (artifact, range) => timed("fetch", () => store.read(artifact, range)),
    sweep: async (nowMs) => {
      const swept = await timed("sweep", () => store.sweep(nowMs));
      figures().swept += swept.length;
      for (const { sizeBytes } of swept) livingBytes -= sizeBytes;
      return swept;
    },
  };
}

/** Questions that follow an output, each after a time in which the model thinks. */
const QUESTIONS = 2;
const LEAST_THINKING_MS = 300;
const MOST_THINKING_MS = 4_000;
/** How long what is late is waited for: a question that comes after the last output is not. */
const GRACE_MS = MOST_THINKING_MS + 1_000;

let figures = noFigures();

async function open(opening: Opening): Promise<Agents> {
  const { store, close } = await openStore(opening);
  const timed = timedStore(store, () => figures);
  const random = randomNumbers(opening.process + 1);
  const run = async <Output>(policy: SourcePolicy<Output>): Promise<Agents> => {
    for (const kind of ["records", "log", "table"] as const) {
      const stored = await policy.store(policy.make(kind, 30_000, "warm"), "warm");
      if (typeof stored === "string") throw new Error(stored);
      for (const question of ["read", "grep", "jq"] as const) {
        const fault = await policy.drillIn(stored, "warm", question);
        if (fault !== undefined) throw new Error(fault);
      }
    }
    return {
      load: (load) =>
        underLoad(policy, load, { ...opening, random, livingBytes: timed.livingBytes }),
      close: async () => {
        await policy.close();
        await close();
      },
    };
  };
  return opening.via === "store"
    ? await run(storeDoor(timed, opening))
    : await run(await offloaderDoor(timed, opening));
}

interface Agents {
  load(load: Load): Promise<Figures>;
  close(): Promise<void>;
}

/** Somebody who waits. */
interface Job {
  readonly kind: "store" | "drillIn";
  readonly dueAt: number;
}

interface Process extends Opening {
  readonly random: Random;
  readonly livingBytes: () => number;
}

/** Outputs come when they come, whether or not those before them are done: who waits, waits in the figures. */
async function underLoad<Output>(
  policy: SourcePolicy<Output>,
  { outputsPerSecond, seconds }: Load,
  { agents, process: number, random, livingBytes }: Process,
): Promise<Figures> {
  figures = noFigures();
  const own = figures;
  const jobs = new Set<Job>();
  const before = process.cpuUsage();
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let isOver = false;

  function start(job: Job, work: () => Promise<string | undefined>): void {
    jobs.add(job);
    const run = async (): Promise<void> => {
      const fault = await work().catch(String);
      if (!jobs.delete(job)) return;
      const at = performance.now();
      own[job.kind].push(at - job.dueAt);
      if (fault !== undefined) noteFault(own, fault);
      else if (at <= end) own.inTime[job.kind] += 1;
    };
    void run();
  }

  /** The time of making the text is nobody's. */
  function output(dueAt: number): void {
    const session = `agent ${number}-${Math.floor(random() * agents)}`;
    const used = process.cpuUsage();
    const from = performance.now();
    const made = policy.make(anyKind(random), anySize(random), session);
    const makingMs = performance.now() - from;
    own.makingMs += processorMs(process.cpuUsage(used));
    start({ kind: "store", dueAt: dueAt + makingMs }, async () => {
      const stored = await policy.store(made, session);
      if (typeof stored === "string") return stored;
      for (let n = 0; n < QUESTIONS; n += 1) void question(stored, session);
      return undefined;
    });
  }

  async function question(stored: StoredArtifact, session: string): Promise<void> {
    const thinkingMs = LEAST_THINKING_MS + random() * (MOST_THINKING_MS - LEAST_THINKING_MS);
    const asked = anyQuestion(random);
    const dueAt = performance.now() + thinkingMs;
    await wait(thinkingMs);
    if (isOver) return;
    start({ kind: "drillIn", dueAt }, () => policy.drillIn(stored, session, asked));
  }

  for (let dueAt = begin; ;) {
    dueAt += (-Math.log(1 - random()) / outputsPerSecond) * 1000;
    if (dueAt >= end) break;
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 0) await wait(earlyMs);
    output(dueAt);
  }
  await wait(Math.max(0, end - performance.now()));
  own.livingBytes = livingBytes();
  const over = performance.now() + GRACE_MS;
  while (jobs.size > 0 && performance.now() < over) await wait(50);
  isOver = true;
  // Whoever still waits has waited so long at least.
  for (const { kind, dueAt } of jobs) own[kind].push(performance.now() - dueAt);
  own.unfinished = jobs.size;
  jobs.clear();
  own.processorMs = processorMs(process.cpuUsage(before)) - own.makingMs;
  own.rssBytes = process.memoryUsage().rss;
  // What is late now belongs to no load.
  figures = noFigures();
  return own;
}

function processorMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

let agents: Agents | undefined;

async function answer(message: Message): Promise<unknown> {
  if (message.job === "open") {
    agents = await open(message.opening);
    return "open";
  }
  if (message.job === "load") return await agents?.load(message.load);
  await agents?.close();
  return "closed";
}

process.on("message", (message: Message) => {
  answer(message).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
