import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../../src/core/store/file/index.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import { countFileCalls } from "../file-calls.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();
const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
const HOUR_MS = 3_600_000;
const fileCalls = countFileCalls();

async function setUp() {
  const directory = await makeDirectory();
  const clock = { nowMs: CONTRACT_START_MS };
  const now = (): number => clock.nowMs;
  const store = fileStore({ directory, now });
  const put = (expiresAt = EXPIRY_MS): Promise<StoredArtifact> =>
    store.put(contractArtifact(1, { expiresAt }), [Uint8Array.of(1)]);
  return { directory, clock, now, store, put };
}

const idsOf = (swept: readonly StoredArtifact[]): string[] => swept.map(({ id }) => id).toSorted();

describe("a sweep of files", () => {
  it("reads what has expired and nothing else, however much is stored", async () => {
    const { directory, put } = await setUp();
    const calls: number[] = [];
    for (const nowMs of [EXPIRY_MS, EXPIRY_MS + HOUR_MS]) {
      for (let count = 0; count < 100; count += 1) await put(EXPIRY_MS + 9 * HOUR_MS);
      const due = [await put(nowMs), await put(nowMs)];
      // Another process, which has seen nothing yet.
      const other = fileStore({ directory });
      const before = fileCalls();
      expect(idsOf(await other.sweep(nowMs))).toEqual(idsOf(due));
      calls.push(fileCalls() - before);
    }
    // A directory is listed by some hundred names at a time.
    expect((calls[1] ?? NaN) - (calls[0] ?? NaN)).toBeLessThan(5);
  });

  it("leaves what was prolonged until its later time, also by who writes the record alone", async () => {
    const { directory, store, put } = await setUp();
    const [ours, theirs] = [await put(), await put()];
    const later = EXPIRY_MS + 2 * HOUR_MS;
    expect(await store.refresh?.(ours.id, ours.sessionKey, later)).toBe(true);
    const sidecar = join(directory, `.atlatl-${theirs.id}.json`);
    const text = await readFile(sidecar, "utf8");
    await writeFile(sidecar, text.replace(String(EXPIRY_MS), String(later)));
    expect(await store.sweep(later - 1)).toEqual([]);
    expect(idsOf(await store.sweep(later))).toEqual(idsOf([ours, theirs]));
  });

  it("removes exactly what has expired, whatever two processes store, prolong, delete and sweep", async () => {
    const step = fc.record({
      kind: fc.constantFrom("put", "refresh", "delete", "sweep", "sweep"),
      process: fc.nat(1),
      pick: fc.nat(20),
      hours: fc.integer({ min: 0, max: 30 }),
    });
    const run = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
    ) => {
      const { directory, clock, now } = await setUp();
      const stores = (["none", "session"] as const).map((folders) =>
        fileStore({ directory, folders, now }),
      );
      const { sessionKey } = contractArtifact(0);
      const alive = new Map<string, number>();
      for (const { kind, process, pick, hours } of steps) {
        const store = stores[process];
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
