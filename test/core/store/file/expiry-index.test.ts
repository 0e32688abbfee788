import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeRecord } from "../../../../src/core/store/artifact-record.js";
import { fileStore } from "../../../../src/core/store/file/index.js";
import { newArtifactId } from "../../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import { mapConcurrent } from "../../../../src/util/slices.js";
import { countFileCalls } from "../file-calls.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();
const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MANY = 300;
const INDEX = `.atlatl-expiry${process.geteuid?.() ?? ""}`;

const fileCalls = countFileCalls();

/** Writes what a version without an index would have stored; it expires at `expiresAt`. */
async function fill(directory: string, count: number, expiresAt: number): Promise<string[]> {
  const artifacts = Array.from({ length: count }, () => contractArtifact(1, { expiresAt }));
  await mapConcurrent(artifacts, 8, async (artifact) => {
    await writeFile(join(directory, artifact.fileName), "1", { mode: 0o600 });
    const sidecar = join(directory, `.atlatl-${artifact.id}.json`);
    await writeFile(sidecar, encodeRecord(artifact).text, { mode: 0o600 });
  });
  return artifacts.map(({ id }) => id);
}

async function setUp({ count = MANY, expiresAt = EXPIRY_MS + DAY_MS * 9 } = {}) {
  const directory = await makeDirectory();
  const before = await fill(directory, count, expiresAt);
  const clock = { nowMs: CONTRACT_START_MS };
  const store = fileStore({ directory, now: () => clock.nowMs });
  const put = (changes = {}): Promise<StoredArtifact> =>
    store.put(contractArtifact(1, changes), [Uint8Array.of(1)]);
  const index = (): Promise<string[]> => readdir(join(directory, INDEX));
  return { directory, before, clock, store, put, index };
}

const idsOf = (swept: readonly StoredArtifact[]): string[] => swept.map(({ id }) => id).toSorted();

describe("index of expiry", () => {
  it("lets a sweep look at what has expired and at nothing else, however much is stored", async () => {
    const calls: number[] = [];
    for (const count of [MANY, 4 * MANY]) {
      const { directory, store, put } = await setUp({ count });
      await store.sweep(CONTRACT_START_MS);
      const due = [await put(), await put(), await put()];
      // Another process, which has seen nothing yet.
      const other = fileStore({ directory });
      const before = fileCalls();
      expect(idsOf(await other.sweep(EXPIRY_MS))).toEqual(idsOf(due));
      calls.push(fileCalls() - before);
    }
    expect(calls[1]).toBe(calls[0]);
  });

  it("leaves what was prolonged until its later time, by this version and by one without an index", async () => {
    const { directory, store, put } = await setUp();
    await store.sweep(CONTRACT_START_MS);
    const [ours, theirs] = [await put(), await put()];
    const later = EXPIRY_MS + 2 * HOUR_MS;
    expect(await store.refresh?.(ours.id, ours.sessionKey, later)).toBe(true);
    const sidecar = join(directory, `.atlatl-${theirs.id}.json`);
    const text = await readFile(sidecar, "utf8");
    await writeFile(sidecar, text.replace(String(EXPIRY_MS), String(later)));
    for (const nowMs of [EXPIRY_MS, EXPIRY_MS + HOUR_MS, later - 1]) {
      expect(await store.sweep(nowMs)).toEqual([]);
    }
    expect(idsOf(await store.sweep(later))).toEqual(idsOf([ours, theirs]));
  });

  it("does no harm with lines that are torn, repeated, forged or of what is gone", async () => {
    const { directory, before, store, put } = await setUp();
    await store.sweep(CONTRACT_START_MS);
    const stored = await put();
    await mkdir(join(directory, "0".repeat(32)));
    const line = (id: string, folder = ""): string => `${EXPIRY_MS} ${id} ${folder}\n`;
    const hour = join(directory, INDEX, `hour-${Math.floor(EXPIRY_MS / HOUR_MS)}`);
    const forged = [
      line(before[0] ?? ""),
      line(stored.id),
      line(stored.id, "0".repeat(32)),
      line(newArtifactId(0)),
      line("../../etc/passwd"),
      line(before[1] ?? "", "../elsewhere"),
      `${EXPIRY_MS} ${before[2]}`,
    ];
    await appendFile(hour, forged.join(""));
    await writeFile(join(directory, INDEX, "notes.txt"), "mine");
    expect(idsOf(await store.sweep(EXPIRY_MS))).toEqual([stored.id]);
    expect(await store.sweep(EXPIRY_MS + HOUR_MS)).toEqual([]);
    expect(await store.stat(before[0] ?? "", stored.sessionKey)).toBeDefined();
    expect(await readFile(join(directory, INDEX, "notes.txt"), "utf8")).toBe("mine");
  });

  it("is neither written nor read through a link in its place", async () => {
    const { directory, before, store, put } = await setUp({ expiresAt: EXPIRY_MS });
    const elsewhere = await makeDirectory();
    await symlink(elsewhere, join(directory, INDEX));
    await store.sweep(CONTRACT_START_MS);
    const stored = await put();
    expect(await readdir(elsewhere)).toEqual([]);
    expect(idsOf(await store.sweep(EXPIRY_MS))).toEqual([...before, stored.id].toSorted());
  });

  it("sweeps exactly what has expired, whatever two processes store, prolong, delete and sweep", async () => {
    const step = fc.record({
      kind: fc.constantFrom("put", "refresh", "delete", "sweep", "sweep"),
      process: fc.nat(1),
      pick: fc.nat(20),
      hours: fc.integer({ min: 0, max: 30 }),
    });
    const run = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
    ) => {
      const { directory, clock } = await setUp({ count: 256, expiresAt: EXPIRY_MS + 999 * DAY_MS });
      const stores = (["none", "session"] as const).map((folders) =>
        fileStore({ directory, folders, now: () => clock.nowMs }),
      );
      const { sessionKey } = contractArtifact(0);
      const alive = new Map<string, number>();
      await stores[0]?.sweep(clock.nowMs);
      for (const { kind, process, pick, hours } of steps) {
        const store = stores[process] ?? stores[0];
        const [id = "", expiresAt = 0] = [...alive][pick % Math.max(1, alive.size)] ?? [];
        const later = clock.nowMs + hours * HOUR_MS + pick;
        if (kind === "put") {
          const artifact = contractArtifact(1, { expiresAt: later + 1 });
          await store?.put(artifact, [Uint8Array.of(1)]);
          alive.set(artifact.id, later + 1);
        } else if (kind === "refresh" && expiresAt > clock.nowMs && later > expiresAt) {
          expect(await store?.refresh?.(id, sessionKey, later)).toBe(true);
          alive.set(id, later);
        } else if (kind === "delete") {
          expect(await store?.delete(id, sessionKey)).toBe(alive.delete(id));
        } else if (kind === "sweep") {
          clock.nowMs += Math.floor((hours * HOUR_MS) / 6);
          const due = [...alive].filter(([, time]) => time <= clock.nowMs).map(([due]) => due);
          expect(idsOf((await store?.sweep(clock.nowMs)) ?? [])).toEqual(due.toSorted());
          for (const gone of due) alive.delete(gone);
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 8 });
  });
});
