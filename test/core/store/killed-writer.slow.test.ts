import { spawn } from "node:child_process";

import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";

import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  patternBytes,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { s3Store } from "../../../src/stores/s3/index.js";
import { caseOfTheDay } from "../../of-the-day.js";
import { startS3Double } from "./s3-double.js";
import { s3Client } from "./s3-servers.js";
import { temporaryDirectories } from "./temporary-directory.js";

const WRITER = fileURLToPath(new URL("killed-writer.mjs", import.meta.url));
const SESSION_KEY = sessionKeyOf("session one");
const DAY_MS = 24 * 3_600_000;
const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
/** Ends a series of writers that never come to their end. */
const MOST_STEPS = 150;
const now = (): number => CONTRACT_START_MS;
const makeDirectory = temporaryDirectories();

interface Writer {
  readonly kind: string;
  readonly place: string;
  readonly name: string;
  /** Artifacts that are stored at once. */
  readonly puts: number;
  readonly step: number;
  readonly moment: "before" | "after";
  readonly sizeBytes: number;
}

/** Runs a writer until it ends; the ids that it was to store, and whether it was killed. */
async function runWriter(writer: Writer): Promise<{ ids: string[]; killed: boolean }> {
  const { kind, place, name, puts, step, moment, sizeBytes } = writer;
  const artifacts = Array.from({ length: puts }, () => contractArtifact(sizeBytes));
  const args = [kind, place, name, String(step), moment, JSON.stringify(artifacts)];
  const child = spawn(process.execPath, [WRITER, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  child.stdin.end(patternBytes(sizeBytes));
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const killed = output.trim() !== "done";
  expect([code, signal]).toEqual(killed ? [null, "SIGKILL"] : [0, null]);
  return { ids: artifacts.map(({ id }) => id), killed };
}

/** How many of the artifacts that were begun are there; those are complete. */
async function countWhole(
  store: ArtifactStore,
  ids: readonly string[],
  body: Uint8Array,
): Promise<number> {
  let whole = 0;
  for (const id of ids) {
    const found = await store.stat(id, SESSION_KEY);
    if (found === undefined) continue;
    expect(Buffer.compare(await store.read(found), body)).toBe(0);
    whole += 1;
  }
  return whole;
}

/** What one writer left. */
interface Outcome {
  readonly killed: boolean;
  /** How many of its artifacts are there; those are complete. */
  readonly whole: number;
}

/** Runs a writer for each of the first steps, and on until one comes to its end; gives those that were killed. */
async function killedAtEveryStep(
  run: (step: number, moment: Writer["moment"]) => Promise<Outcome>,
  given: { readonly stride?: number; readonly moments: readonly Writer["moment"][] },
): Promise<Outcome[]> {
  const { stride = 1, moments } = given;
  const killed: Outcome[] = [];
  for (let step = 0; step < MOST_STEPS; step += stride) {
    const moment = moments[step % moments.length] ?? "after";
    const outcome = await run(step, moment);
    if (!outcome.killed) return killed;
    killed.push(outcome);
  }
  throw new Error(`A put has more than ${MOST_STEPS} steps.`);
}

// What is left after a step is what is left before the next one, so each writer alone is killed after its steps.
describe("writers that are killed at every step of a put", { timeout: 300_000 }, () => {
  it("leave artifacts of the file store complete or absent, and nothing after a sweep", async () => {
    const kill = async (
      { puts, name, sizeBytes }: Pick<Writer, "puts" | "name" | "sizeBytes">,
      step: number,
      moment: Writer["moment"],
    ): Promise<Outcome> => {
      const body = patternBytes(sizeBytes);
      const directory = await makeDirectory();
      const writer = { kind: "file", place: directory, name, puts, step, moment, sizeBytes };
      const { ids, killed } = await runWriter(writer);
      const folders = name.includes("session") ? "session" : "none";
      const store = fileStore({ directory, folders, now });
      const whole = await countWhole(store, ids, body);
      // What was cut off counts as such after a day of the file system's clock, its record one sweep later.
      const sweptAt = Math.max(Date.now(), EXPIRY_MS) + 2 * DAY_MS;
      expect(await store.sweep(sweptAt)).toHaveLength(whole);
      await store.sweep(sweptAt);
      expect(await readdir(directory)).toEqual([]);
      return { killed, whole };
    };
    const one = { puts: 1, name: "fsync", sizeBytes: 150_000 };
    const inFolder = { puts: 1, name: "fsync,session", sizeBytes: 10 };
    const empty = { puts: 1, name: "plain", sizeBytes: 0 };
    const eight = { puts: 8, name: "fsync", sizeBytes: 150_000 };
    // With the steps that a put has at least.
    const alone = [
      { writer: one, least: 11 },
      { writer: inFolder, least: 14 },
      { writer: empty, least: 5 },
    ];
    const series = [
      ...caseOfTheDay(alone).map((each) => ({ ...each, moments: ["after"] as const })),
      { writer: eight, least: 30, moments: ["before", "after"] as const, stride: 3 },
    ];
    const outcomes = await Promise.all(
      series.map(({ writer, ...steps }) =>
        killedAtEveryStep((step, moment) => kill(writer, step, moment), steps),
      ),
    );
    for (const killed of outcomes.slice(0, -1)) {
      expect(killed.every(({ whole }) => whole <= 1)).toBe(true);
    }
    for (const [index, { least }] of series.entries()) {
      expect(outcomes[index]?.length).toBeGreaterThanOrEqual(least);
    }
    expect(new Set(outcomes.flat().map(({ whole }) => whole))).toContain(0);
    expect(new Set(outcomes.flat().map(({ whole }) => whole))).toContain(8);
  });

  it("leave neither object nor upload in S3 after a sweep, one alone and two at once", async () => {
    const sizeBytes = 9_000_000;
    const body = patternBytes(sizeBytes);
    const series = [
      { puts: 1, moments: ["after"] },
      { puts: 2, moments: ["before", "after"] },
    ] as const;
    const outcomes = await Promise.all(
      series.map(async ({ puts, moments }) => {
        const { port, objects, uploads, stop } = await startS3Double();
        const client = s3Client(port);
        const store = s3Store({ client, bucket: "test", now });
        const place = `http://127.0.0.1:${port}`;
        const writer = { kind: "s3", place, name: "offload", sizeBytes, puts };
        const kill = async (step: number, moment: Writer["moment"]): Promise<Outcome> => {
          const { ids, killed } = await runWriter({ ...writer, step, moment });
          const whole = await countWhole(store, ids, body);
          // What the dead process sent last may still be on its way.
          await expect
            .poll(async () => {
              // What a writer has announced counts as left after a day.
              await store.sweep(EXPIRY_MS + DAY_MS);
              return objects.size + uploads.size;
            })
            .toBe(0);
          return { killed, whole };
        };
        const killed = await killedAtEveryStep(kill, { moments });
        client.destroy();
        await stop();
        return killed;
      }),
    );
    const all = outcomes.flat();
    expect(all.length).toBeGreaterThanOrEqual(15);
    expect(all.map(({ whole }) => whole)).toEqual(expect.arrayContaining([0, 1]));
  });
});
