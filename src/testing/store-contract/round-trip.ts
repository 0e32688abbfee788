import { createHash } from "node:crypto";

import { contractArtifact, patternBytes, pieces } from "./contract-artifact.js";
import type { CaseContext, ContractCase } from "./contract-case.js";

const MEGABYTE = 1024 * 1024;

async function expectRoundTrip(
  { store, expect }: CaseContext,
  body: Uint8Array,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> = [body],
): Promise<void> {
  const stored = await store.put(contractArtifact(body.length), chunks);
  const read = await store.read(stored);
  // Compared as buffers: a matcher walks millions of elements one by one.
  expect(Buffer.compare(read, body)).toBe(0);
}

async function* asynchronousPieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const piece of pieces(body, 50_000)) {
    yield new Uint8Array();
    await Promise.resolve();
    yield piece;
  }
}

function* oneMemoryForAll(): Generator<Uint8Array> {
  const reused = new Uint8Array(2);
  for (const value of [1, 2, 3]) yield reused.fill(value);
}

/** Bytes and facts come back as they went in. */
export const roundTripCases: readonly ContractCase[] = [
  {
    title: "returns an empty body",
    run: (context) => expectRoundTrip(context, new Uint8Array()),
  },
  {
    title: "returns a body that no chunk was given for",
    run: (context) => expectRoundTrip(context, new Uint8Array(), []),
  },
  {
    title: "returns a body of one byte",
    run: (context) => expectRoundTrip(context, Uint8Array.of(0)),
  },
  {
    title: "returns a body of several megabytes",
    run: (context) => expectRoundTrip(context, patternBytes(3 * MEGABYTE + 1)),
  },
  {
    title: "returns a body that came in pieces of every size",
    run: async (context) => {
      const body = patternBytes(MEGABYTE);
      for (const pieceBytes of [997, 65_536, 300_001]) {
        await expectRoundTrip(context, body, pieces(body, pieceBytes));
      }
    },
  },
  {
    title: "returns a body that came asynchronously, with empty chunks between",
    run: async (context) => {
      const body = patternBytes(200_000);
      await expectRoundTrip(context, body, asynchronousPieces(body));
    },
  },
  {
    title: "copies chunks whose memory the producer uses again",
    run: async (context) => {
      await expectRoundTrip(context, Uint8Array.of(1, 1, 2, 2, 3, 3), oneMemoryForAll());
    },
  },
  {
    title: "keeps text beyond the basic plane, NUL and line ends of every kind",
    run: (context) =>
      expectRoundTrip(context, Buffer.from("\u{1F600}\u{20000}\0\r\n\r\n\u2028\uFEFF")),
  },
  {
    title: "keeps every byte value, in and out of UTF-8",
    run: (context) =>
      expectRoundTrip(context, Uint8Array.of(...Array(256).keys(), 0xed, 0xa0, 0x80, 0xff, 0xc0)),
  },
  {
    title: "returns the artifact's facts from put, stat and list alike",
    run: async ({ store, expect }) => {
      const body = Uint8Array.of(1, 2, 3);
      const bodySha256 = createHash("sha256").update(body).digest("hex");
      for (const changes of [{}, { bodySha256 }]) {
        const artifact = contractArtifact(3, changes);
        const stored = await store.put(artifact, [body]);
        expect({ ...stored, filePath: undefined }).toEqual({ ...artifact, filePath: undefined });
        expect(await store.stat(artifact.id, artifact.scope)).toEqual(stored);
        const { artifacts } = await store.list(artifact.scope);
        expect(artifacts.find(({ id }) => id === artifact.id)).toEqual(stored);
      }
    },
  },
  {
    title: "is not changed by what happens to an artifact that it took or gave",
    run: async ({ store, expect }) => {
      const args = { query: "before" };
      const artifact = contractArtifact(0, { args });
      const stored = await store.put(artifact, []);
      args.query = "after";
      Object.assign(stored.args ?? {}, { query: "after" });
      const found = await store.stat(artifact.id, artifact.scope);
      expect(found?.args).toEqual({ query: "before" });
      Object.assign(found?.args ?? {}, { query: "after" });
      const foundAgain = await store.stat(artifact.id, artifact.scope);
      expect(foundAgain?.args).toEqual({ query: "before" });
    },
  },
];
