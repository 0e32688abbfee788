import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startSweeper, type SweeperOptions } from "../../../../src/core/store/sweeper.js";
import { contractArtifact } from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";

const HOUR_MS = 3_600_000;
const ignore = (): void => undefined;
afterEach(() => void vi.unstubAllGlobals());

/** A sweeper that does nothing but what it is told. */
function started(options: Partial<SweeperOptions>) {
  const store = { sweep: async () => [] };
  return startSweeper({
    store,
    intervalMs: 1,
    now: Date.now,
    onExpired: ignore,
    whileHeld: async () => {},
    ...options,
  });
}

/** A sweeper over a scripted store: each sweep waits until it is released. */
function scripted(options: Partial<SweeperOptions> = {}) {
  const sweptAt: number[] = [];
  const waiting: ((outcome: readonly StoredArtifact[] | Error) => void)[] = [];
  const reported: string[] = [];
  const sweeper = started({
    store: {
      sweep: (nowMs) => {
        sweptAt.push(nowMs);
        return new Promise((resolve, reject) => {
          waiting.push((outcome) =>
            outcome instanceof Error ? reject(outcome) : resolve(outcome),
          );
        });
      },
    },
    intervalMs: HOUR_MS,
    now: () => 42,
    onExpired: ({ id }) => reported.push(id),
    ...options,
  });
  const release = (outcome: readonly StoredArtifact[] | Error = []): void =>
    waiting.shift()?.(outcome);
  return { sweeper, sweptAt, reported, release };
}

const artifacts = [contractArtifact(0), contractArtifact(0)];
const ids = artifacts.map(({ id }) => id);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(1);
}

describe("sweeper", () => {
  it("rule 50: sweeps soon after its start, but not within the call that starts it", async () => {
    const { sweptAt, release, sweeper } = scripted();
    expect(sweptAt).toEqual([]);
    await until(() => sweptAt.length === 1);
    expect(sweptAt).toEqual([42]);
    release();
    const closed = sweeper.close();
    await until(() => sweptAt.length === 2);
    release();
    await closed;
  });

  it("ends by itself when nobody can store any more", async () => {
    let sweeps = 0;
    const store = { sweep: async () => ((sweeps += 1), []) };
    const Gone = function Gone() {
      return { deref: () => undefined };
    };
    vi.stubGlobal("WeakRef", Gone);
    started({ store });
    await until(() => sweeps > 0);
    await wait(20);
    expect(sweeps).toBe(1);
  });

  it("reports each deleted artifact once, although sweeps that overlap are joined", async () => {
    const { sweeper, sweptAt, reported, release } = scripted();
    const both = Promise.all([sweeper.sweep(), sweeper.sweep()]);
    release(artifacts);
    const [first, second] = await both;
    expect(first).toEqual(artifacts);
    expect(second).toBe(first);
    expect(reported).toEqual(ids);
    expect(sweptAt).toHaveLength(1);
  });

  it("goes on after a store that fails and a clock that throws", async () => {
    let clockFails = true;
    const now = (): number => {
      if (clockFails) throw new Error("No clock.");
      return 7;
    };
    const { sweeper, sweptAt, release } = scripted({ now });
    await expect(sweeper.sweep()).resolves.toEqual([]);
    clockFails = false;
    const failed = sweeper.sweep();
    release(new Error("Disk gone."));
    await expect(failed).resolves.toEqual([]);
    const worked = sweeper.sweep();
    release(artifacts);
    await expect(worked).resolves.toEqual(artifacts);
    expect(sweptAt).toEqual([7, 7]);
  });

  it("sweeps once more when it is closed in the middle of a sweep, and closes once", async () => {
    const { sweeper, sweptAt, reported, release } = scripted();
    void sweeper.sweep();
    const closed = sweeper.close();
    expect(sweeper.close()).toBe(closed);
    expect(sweptAt).toHaveLength(1);
    release();
    await until(() => sweptAt.length === 2);
    release(artifacts);
    await closed;
    expect(reported).toEqual(ids);
    await wait(5);
    expect(sweptAt).toHaveLength(2);
  });
});
