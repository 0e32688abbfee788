import { createHash } from "node:crypto";
import {
  type CaseContext,
  CONTRACT_START_MS,
  contractArtifact,
  type ContractCases,
  patternBytes,
  pieces,
  rejectionCode,
} from "./contract-artifact.js";
import { newArtifactId, scopeOf } from "../../core/store/naming.js";

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
export const roundTripCases: ContractCases = {
  "returns bodies of every size, with every byte value and every kind of text": async (context) => {
    const text = "\u{1F600}\u{20000}\0\r\n\r\n\u2028\uFEFF";
    const bytes = Uint8Array.of(...Array(256).keys(), 0xed, 0xa0, 0x80, 0xff, 0xc0);
    for (const size of [0, 1, 3 * MEGABYTE + 1]) await expectRoundTrip(context, patternBytes(size));
    for (const body of [bytes, Buffer.from(text)]) await expectRoundTrip(context, body);
  },
  "returns a body however it came: in no chunk, in pieces of any size, asynchronously, in memory that is used again":
    async (context) => {
      await expectRoundTrip(context, new Uint8Array(), []);
      const body = patternBytes(MEGABYTE);
      for (const pieceBytes of [997, 65_536, 300_001])
        await expectRoundTrip(context, body, pieces(body, pieceBytes));
      await expectRoundTrip(context, body, asynchronousPieces(body));
      await expectRoundTrip(context, Uint8Array.of(1, 1, 2, 2, 3, 3), oneMemoryForAll());
    },
  "returns the artifact's facts from put, stat and list alike": async ({ store, expect }) => {
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
  "is not changed by what happens to an artifact that it took or gave": async ({
    store,
    expect,
  }) => {
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
};

const OTHER_SCOPE = scopeOf("session two");

/** Names that a model might send; none is an artifact's. */
const FORGED_IDS = [
  "",
  ".",
  "..",
  "../x",
  "/etc/passwd",
  "a/../../b",
  "..\\x",
  "01ARZ3NDEKTSV4RRFFQ69G5FA\0",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV/../x",
  "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  "__proto__",
  "constructor",
  "*",
  "%2e%2e%2f",
  "x".repeat(300),
];

/** Ranges end where the body does, and sessions see only what is theirs. */
export const boundaryCases: ContractCases = {
  "reads ranges within, at and past the end like a slice": async ({ store, expect }) => {
    const body = patternBytes(300_000);
    const stored = await store.put(contractArtifact(body.length), [body]);
    const offsets = [0, 1, 65_535, 65_536, 262_144, 299_999, 300_000, 300_001, 9e15];
    for (const start of offsets) {
      for (const end of offsets) {
        const read = await store.read(stored, { start, end });
        expect(Buffer.compare(read, body.slice(start, Math.max(start, end)))).toBe(0);
      }
    }
  },
  "answers an unknown id with undefined, and its read with ARTIFACT_NOT_FOUND": async ({
    store,
    expect,
  }) => {
    const unknown = contractArtifact(1);
    expect(await store.stat(newArtifactId(CONTRACT_START_MS), unknown.scope)).toBe(undefined);
    expect(await rejectionCode(store.read(unknown))).toBe("ARTIFACT_NOT_FOUND");
    expect(await store.delete(unknown.id, unknown.scope)).toBe(false);
  },
  "hides a session's artifacts from every other session": async ({ store, expect }) => {
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(7)]);
    expect(await store.stat(stored.id, OTHER_SCOPE)).toBe(undefined);
    expect(await rejectionCode(store.read({ ...stored, scope: OTHER_SCOPE }))).toBe(
      "ARTIFACT_NOT_FOUND",
    );
    expect(await store.list(OTHER_SCOPE)).toEqual({ artifacts: [], cursor: undefined });
    expect(await store.delete(stored.id, OTHER_SCOPE)).toBe(false);
    expect(await store.read(stored)).toEqual(Uint8Array.of(7));
  },
  "answers forged ids like unknown ones": async ({ store, expect }) => {
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(7)]);
    for (const id of [...FORGED_IDS, stored.id.toLowerCase(), ` ${stored.id}`, stored.fileName]) {
      expect(await store.stat(id, stored.scope)).toBe(undefined);
      expect(await rejectionCode(store.read({ ...stored, id }))).toBe("ARTIFACT_NOT_FOUND");
      expect(await store.delete(id, stored.scope)).toBe(false);
    }
    expect(await store.read(stored)).toEqual(Uint8Array.of(7));
  },
  "believes its own facts and not those of the caller's artifact": async ({ store, expect }) => {
    const stored = await store.put(contractArtifact(2), [Uint8Array.of(7, 8)]);
    const forged = {
      ...stored,
      sizeBytes: 1,
      fileName: "../../../../../../etc/passwd",
      filePath: "/etc/passwd",
    };
    expect(await store.read(forged)).toEqual(Uint8Array.of(7, 8));
  },
  "refuses to store under an id or file name that could leave its root": async ({
    store,
    expect,
  }) => {
    for (const id of FORGED_IDS) {
      const artifact = { ...contractArtifact(0), id, fileName: `atlatl-recall-${id}.jsonl` };
      expect(await rejectionCode(store.put(artifact, []))).toBe("STORE_WRITE_FAILED");
    }
    const valid = contractArtifact(0);
    for (const fileName of [`../${valid.id}`, `/tmp/${valid.id}`, `.${valid.id}`, "notes.txt"]) {
      const code = await rejectionCode(store.put({ ...valid, fileName }, []));
      expect(code).toBe("STORE_WRITE_FAILED");
    }
    expect((await store.list(valid.scope)).artifacts).toEqual([]);
  },
};

/** Puts, which must fail, and then shows that nothing stayed: the same id can still be stored. */
async function expectRefused(
  { store, expect }: CaseContext,
  sizeBytes: number,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const artifact = contractArtifact(sizeBytes);
  expect(await rejectionCode(store.put(artifact, chunks))).toBe("STORE_WRITE_FAILED");
  expect(await store.stat(artifact.id, artifact.scope)).toBe(undefined);
  const { artifacts } = await store.list(artifact.scope);
  expect(artifacts.some(({ id }) => id === artifact.id)).toBe(false);
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
export const writeCases: ContractCases = {
  "refuses a second artifact under the same id and keeps the first": async ({ store, expect }) => {
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    expect(await rejectionCode(store.put(stored, [Uint8Array.of(2)]))).toBe("STORE_WRITE_FAILED");
    expect(await store.read(stored)).toEqual(Uint8Array.of(1));
  },
  "lets one of twenty writers of the same id win, with its whole body": async ({
    store,
    expect,
  }) => {
    const artifact = contractArtifact(100_000);
    const bodies = Array.from({ length: 20 }, (_, value) => new Uint8Array(100_000).fill(value));
    const outcomes = await Promise.allSettled(bodies.map((body) => store.put(artifact, [body])));
    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const read = await store.read({ ...artifact });
    expect(Buffer.compare(read, bodies[winner] ?? new Uint8Array())).toBe(0);
  },
  "stores many artifacts at once": async ({ store, expect }) => {
    const bodies = Array.from({ length: 100 }, (_, index) => Uint8Array.of(index, index));
    const stored = await Promise.all(bodies.map((body) => store.put(contractArtifact(2), [body])));
    const read = await Promise.all(stored.map((artifact) => store.read(artifact)));
    expect(read).toEqual(bodies);
  },
  "leaves nothing of a body that throws or rejects in the middle": async (context) => {
    await expectRefused(context, 1_000_000, throwing());
    await expectRefused(context, 20, rejecting());
  },
  "refuses a body that is a byte shorter or longer than announced": async (context) => {
    await expectRefused(context, 10, [new Uint8Array(9)]);
    await expectRefused(context, 10, [new Uint8Array(10), new Uint8Array(1)]);
  },
  "stops asking for more once a body is longer than announced": async ({ store, expect }) => {
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
  "reports a medium that fails as STORE_WRITE_FAILED and works again after it": async ({
    store,
    expect,
    failWrites,
  }) => {
    if (failWrites === undefined) return;
    const restore = await failWrites();
    const artifact = contractArtifact(1);
    expect(await rejectionCode(store.put(artifact, [Uint8Array.of(1)]))).toBe("STORE_WRITE_FAILED");
    await restore();
    expect(await store.stat(artifact.id, artifact.scope)).toBe(undefined);
    const stored = await store.put(artifact, [Uint8Array.of(1)]);
    expect(await store.read(stored)).toEqual(Uint8Array.of(1));
  },
};
