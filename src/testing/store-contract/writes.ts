import { contractArtifact, patternBytes, rejectionCode } from "./contract-artifact.js";
import type { CaseContext, ContractCase } from "./contract-case.js";

/** Puts, which must fail, and then shows that nothing stayed: the same id can still be stored. */
async function expectRefused(
  { store, expect }: CaseContext,
  sizeBytes: number,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const artifact = contractArtifact(sizeBytes);
  expect(await rejectionCode(store.put(artifact, chunks))).toBe("STORE_WRITE_FAILED");
  expect(await store.stat(artifact.id, artifact.scope)).toBe(undefined);
  expect((await store.list(artifact.scope)).artifacts).toEqual([]);
  const body = patternBytes(sizeBytes);
  const stored = await store.put(artifact, [body]);
  expect(Buffer.compare(await store.read(stored), body)).toBe(0);
}

function* throwing(): Generator<Uint8Array> {
  yield new Uint8Array(500_000);
  throw new Error("The producer failed.");
}

async function* rejecting(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(10);
  await Promise.reject(new Error("The producer failed."));
}

/** An artifact is complete or absent, and written once. */
export const writeCases: readonly ContractCase[] = [
  {
    title: "refuses a second artifact under the same id and keeps the first",
    run: async ({ store, expect }) => {
      const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
      expect(await rejectionCode(store.put(stored, [Uint8Array.of(2)]))).toBe("STORE_WRITE_FAILED");
      expect(await store.read(stored)).toEqual(Uint8Array.of(1));
    },
  },
  {
    title: "lets one of twenty writers of the same id win, with its whole body",
    run: async ({ store, expect }) => {
      const artifact = contractArtifact(100_000);
      const bodies = Array.from({ length: 20 }, (_, value) => new Uint8Array(100_000).fill(value));
      const outcomes = await Promise.allSettled(bodies.map((body) => store.put(artifact, [body])));
      const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
      expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
      const read = await store.read({ ...artifact });
      expect(Buffer.compare(read, bodies[winner] ?? new Uint8Array())).toBe(0);
    },
  },
  {
    title: "stores many artifacts at once",
    run: async ({ store, expect }) => {
      const bodies = Array.from({ length: 100 }, (_, index) => Uint8Array.of(index, index));
      const stored = await Promise.all(
        bodies.map((body) => store.put(contractArtifact(2), [body])),
      );
      const read = await Promise.all(stored.map((artifact) => store.read(artifact)));
      expect(read).toEqual(bodies);
    },
  },
  {
    title: "leaves nothing of a body that throws in the middle",
    run: (context) => expectRefused(context, 1_000_000, throwing()),
  },
  {
    title: "leaves nothing of an asynchronous body that rejects in the middle",
    run: (context) => expectRefused(context, 20, rejecting()),
  },
  {
    title: "refuses a body that is one byte shorter than announced",
    run: (context) => expectRefused(context, 10, [new Uint8Array(9)]),
  },
  {
    title: "refuses a body that is one byte longer than announced",
    run: (context) => expectRefused(context, 10, [new Uint8Array(10), new Uint8Array(1)]),
  },
  {
    title: "stops asking for more once a body is longer than announced",
    run: async ({ store, expect }) => {
      let asked = 0;
      let ended = false;
      function* endless(): Generator<Uint8Array> {
        try {
          for (;;) {
            asked += 1;
            yield new Uint8Array(10);
          }
        } finally {
          ended = true;
        }
      }
      const code = await rejectionCode(store.put(contractArtifact(25), endless()));
      expect([code, asked, ended]).toEqual(["STORE_WRITE_FAILED", 3, true]);
    },
  },
  {
    title: "reports a medium that fails as STORE_WRITE_FAILED and works again after it",
    run: async ({ store, expect, failWrites }) => {
      if (failWrites === undefined) return;
      const restore = await failWrites();
      const artifact = contractArtifact(1);
      expect(await rejectionCode(store.put(artifact, [Uint8Array.of(1)]))).toBe(
        "STORE_WRITE_FAILED",
      );
      await restore();
      expect(await store.stat(artifact.id, artifact.scope)).toBe(undefined);
      const stored = await store.put(artifact, [Uint8Array.of(1)]);
      expect(await store.read(stored)).toEqual(Uint8Array.of(1));
    },
  },
];
