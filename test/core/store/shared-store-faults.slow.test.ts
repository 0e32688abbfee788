import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  pieces,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { SHARED_STORES, type SharedRig } from "./shared-store-rigs.js";
const GONE = ["ARTIFACT_NOT_FOUND", "ARTIFACT_EXPIRED"];

describe.each(SHARED_STORES.map((kind) => [kind.name, kind] as const))(
  "%s store, shared",
  (name, { available, arbitrates, bodyBytes, start }) => {
    const whole = patternBytes(bodyBytes);
    const clock = { nowMs: CONTRACT_START_MS };
    const times = { now: () => clock.nowMs };
    let rig: SharedRig;
    let store: ArtifactStore;

    beforeAll(async () => {
      if (!available) return;
      rig = await start();
      store = await rig.connect(times);
      await store.list(contractArtifact(0).sessionKey);
    });

    beforeEach(() => {
      clock.nowMs = CONTRACT_START_MS;
    });

    afterAll(async () => {
      await rig?.close();
    });

    /** Waits until the client has put connections that were cut aside. */
    async function expectBack(): Promise<void> {
      const { id, sessionKey } = contractArtifact(0);
      await expect.poll(() => rejectionCode(store.stat(id, sessionKey))).toBe("resolved");
      await expect.poll(() => rejectionCode(store.list(sessionKey))).toBe("resolved");
    }

    async function expectSwept(): Promise<void> {
      clock.nowMs = Number.MAX_SAFE_INTEGER;
      await store.sweep(clock.nowMs);
      expect(await rig.left()).toBe(0);
    }

    it.skipIf(!available)(
      "has an artifact complete or absent whenever the connection drops in a put",
      async () => {
        const outcomes = new Set<string>();
        for (const share of [0, 0.4, 0.95, 1.0005]) {
          const bytes = 1 + Math.floor(share * whole.length);
          const artifact = contractArtifact(whole.length);
          rig.proxy.after("up", bytes, () => rig.proxy.cut());
          const outcome = await rejectionCode(store.put(artifact, pieces(whole, 100_000)));
          outcomes.add(outcome);
          expect(["resolved", "STORE_WRITE_FAILED"]).toContain(outcome);
          rig.proxy.after("up", Number.POSITIVE_INFINITY, () => undefined);
          await expectBack();
          const found = await store.stat(artifact.id, artifact.sessionKey);
          if (outcome === "resolved") expect(found).toEqual(artifact);
          if (found !== undefined) expect(Buffer.compare(await store.read(found), whole)).toBe(0);
        }
        // The client of S3 tries again by itself.
        expect(outcomes.has(name === "s3" ? "resolved" : "STORE_WRITE_FAILED")).toBe(true);
        await expectSwept();
      },
    );

    it.skipIf(!available)(
      "gives every byte or STORE_READ_FAILED when the connection drops in a read",
      async () => {
        const stored = await store.put(contractArtifact(whole.length), [whole]);
        const outcomes = new Set<string>();
        for (const share of [0, 0.5]) {
          const bytes = 1 + Math.floor(share * whole.length);
          rig.proxy.after("down", bytes, () => rig.proxy.cut());
          const reading = store.read(stored);
          const outcome = await rejectionCode(reading);
          outcomes.add(outcome);
          if (outcome === "resolved") expect(Buffer.compare(await reading, whole)).toBe(0);
          else expect(outcome).toBe("STORE_READ_FAILED");
          await expectBack();
          expect(Buffer.compare(await store.read(stored), whole)).toBe(0);
        }
        expect(outcomes.has("STORE_READ_FAILED")).toBe(true);
        await expectSwept();
      },
    );

    it.skipIf(!available)(
      "names the fault while the server is away and works on when it is back",
      async () => {
        const impatient = await rig.connect({ ...times, timeoutMs: 300 });
        const body = whole.subarray(0, 1000);
        const stored = await store.put(contractArtifact(body.length), [body]);
        const { id, sessionKey } = stored;
        rig.proxy.refuse(true);
        rig.proxy.cut();
        const lost = contractArtifact(body.length);
        expect(await rejectionCode(impatient.stat(id, sessionKey))).toBe("STORE_READ_FAILED");
        expect(await rejectionCode(impatient.read(stored))).toBe("STORE_READ_FAILED");
        expect(await rejectionCode(impatient.list(sessionKey))).toBe("STORE_READ_FAILED");
        expect(await rejectionCode(impatient.put(lost, [body]))).toBe("STORE_WRITE_FAILED");
        expect(await rejectionCode(impatient.delete(id, sessionKey))).toBe("STORE_WRITE_FAILED");
        expect(await rejectionCode(impatient.sweep(clock.nowMs))).toBe("STORE_WRITE_FAILED");
        rig.proxy.refuse(false);
        await expect.poll(() => rejectionCode(store.stat(id, sessionKey))).toBe("resolved");
        await expect.poll(() => rejectionCode(impatient.stat(id, sessionKey))).toBe("resolved");
        expect(await store.stat(lost.id, sessionKey)).toBeUndefined();
        const again = await store.put(contractArtifact(body.length), [body]);
        await expect.poll(() => impatient.read(again).catch(() => undefined)).toEqual(body);
        await expectSwept();
      },
    );

    // A LangGraph store has no create-if-absent; what follows from that stands in docs/stores.md.
    it.skipIf(!available).each(arbitrates ? [3] : [])(
      "lets one of %d processes win that write the same id",
      async (count) => {
        const writers = await Promise.all(Array.from({ length: count }, () => rig.connect(times)));
        for (let round = 0; round < 5; round += 1) {
          const artifact = contractArtifact(300_000);
          const bodies = writers.map((_, value) => new Uint8Array(300_000).fill(value));
          const outcomes = await Promise.all(
            writers.map((writer, index) =>
              rejectionCode(writer.put(artifact, [bodies[index] ?? whole])),
            ),
          );
          expect(outcomes.toSorted()).toEqual([
            "STORE_WRITE_FAILED",
            "STORE_WRITE_FAILED",
            "resolved",
          ]);
          const winner = bodies[outcomes.indexOf("resolved")] ?? whole;
          expect(Buffer.compare(await store.read(artifact), winner)).toBe(0);
        }
        await expectSwept();
      },
    );

    it.skipIf(!available)(
      "gives every byte or says that it is gone when it expires and is swept in a read",
      async () => {
        const sweeper = await rig.connect(times);
        for (const share of [0.1, 0.9]) {
          const bytes = 1 + Math.floor(share * whole.length);
          clock.nowMs = CONTRACT_START_MS;
          const stored = await store.put(contractArtifact(whole.length), [whole]);
          rig.proxy.after("down", bytes, async () => {
            clock.nowMs = stored.expiresAt;
            await sweeper.sweep(clock.nowMs);
          });
          const reading = store.read(stored);
          const outcome = await rejectionCode(reading);
          if (outcome === "resolved") expect(Buffer.compare(await reading, whole)).toBe(0);
          else expect(GONE).toContain(outcome);
          expect(clock.nowMs).toBe(stored.expiresAt);
          expect(GONE).toContain(await rejectionCode(store.read(stored)));
          expect(await rig.left()).toBe(0);
        }
      },
    );
  },
);
