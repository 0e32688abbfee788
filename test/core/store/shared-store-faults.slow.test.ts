import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { SHARED_STORES, type SharedRig } from "./shared-store-rigs.js";

describe.each(SHARED_STORES.map((kind) => [kind.name, kind] as const))(
  "%s store, shared",
  (_, { available, bodyBytes, start }) => {
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
  },
);
