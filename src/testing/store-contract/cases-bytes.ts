import { newArtifactId, sessionKeyOf } from "../../core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  pieces,
  rejectionCode,
  type CaseContext,
  type ContractCases,
} from "./contract-artifact.js";

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const MEGABYTE = 1024 * 1024;
const ONE = Uint8Array.of(7);
const OTHER_SESSION = sessionKeyOf("session two");

const FORGED_IDS = [
  "",
  "..",
  "/etc/passwd",
  "a/../../b",
  "..\\x",
  "01ARZ3NDEKTSV4RRFFQ69G5FA\0",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV/../x",
  "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  "__proto__",
  "*",
  "%2e%2e%2f",
  "x".repeat(300),
];

async function expectRoundTrip(
  { store, expect }: CaseContext,
  body: Uint8Array,
  chunks: Chunks = [body],
): Promise<void> {
  const stored = await store.put(contractArtifact(body.length), chunks);
  // Matchers would compare millions of elements one by one.
  expect(Buffer.compare(await store.read(stored), body)).toBe(0);
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

async function* rejecting(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(500_000);
  await Promise.reject(new Error("The producer failed."));
}

async function expectRefused(
  { store, expect }: CaseContext,
  sizeBytes: number,
  chunks: Chunks,
): Promise<void> {
  const artifact = contractArtifact(sizeBytes);
  expect(await rejectionCode(store.put(artifact, chunks))).toBe("STORE_WRITE_FAILED");
  expect(await store.stat(artifact.id, artifact.sessionKey)).toBe(undefined);
  const body = patternBytes(sizeBytes);
  const stored = await store.put(artifact, [body]);
  expect(Buffer.compare(await store.read(stored), body)).toBe(0);
}

export const byteCases: ContractCases = {
  "returns bodies of every size and every byte, however they came": async (context) => {
    const bytes = Uint8Array.of(...Array(256).keys(), 0xed, 0xa0, 0x80, 0xff, 0xc0);
    for (const body of [bytes, ONE, patternBytes(3 * MEGABYTE + 1)]) {
      await expectRoundTrip(context, body);
    }
    await expectRoundTrip(context, new Uint8Array(), []);
    const body = patternBytes(MEGABYTE);
    for (const size of [997, 300_001]) await expectRoundTrip(context, body, pieces(body, size));
    await expectRoundTrip(context, body, asynchronousPieces(body));
    await expectRoundTrip(context, Uint8Array.of(1, 1, 2, 2, 3, 3), oneMemoryForAll());
  },
  "returns the artifact's facts from put, stat and list alike, whatever happens to the given ones":
    async ({ store, expect }) => {
      const args = { query: "before" };
      const artifact = contractArtifact(1, { args, bodySha256: "0".repeat(64) });
      const stored = await store.put(artifact, [ONE]);
      expect({ ...stored, filePath: undefined }).toEqual({ ...artifact, filePath: undefined });
      const before = structuredClone(stored);
      args.query = "after";
      Object.assign(stored.args ?? {}, { query: "after" });
      const found = await store.stat(artifact.id, artifact.sessionKey);
      expect(found).toEqual(before);
      Object.assign(found?.args ?? {}, { query: "after" });
      expect((await store.list(artifact.sessionKey)).artifacts).toEqual([before]);
    },
  "reads ranges within, at and past the end like a slice, by its own facts": async ({
    store,
    expect,
  }) => {
    const body = patternBytes(300_000);
    const stored = await store.put(contractArtifact(body.length), [body]);
    const offsets = [0, 1, 65_536, 262_144, 299_999, 300_000, 300_001, 9e15];
    for (const start of offsets) {
      for (const end of offsets) {
        const read = await store.read(stored, { start, end });
        expect(Buffer.compare(read, body.slice(start, Math.max(start, end)))).toBe(0);
      }
    }
    const forged = { ...stored, sizeBytes: 1, fileName: "../etc/passwd", filePath: "/etc/passwd" };
    expect(Buffer.compare(await store.read(forged), body)).toBe(0);
  },
  "answers unknown and forged ids, and those of other sessions, alike": async ({
    store,
    expect,
  }) => {
    const stored = await store.put(contractArtifact(1), [ONE]);
    const { id, sessionKey, fileName } = stored;
    const unknown = newArtifactId(CONTRACT_START_MS);
    const ids = [...FORGED_IDS, unknown, id.toLowerCase(), ` ${id}`, fileName];
    const asked = ids.map((forged) => ({ id: forged, sessionKey }));
    for (const name of [...asked, { id, sessionKey: OTHER_SESSION }]) {
      expect(await store.stat(name.id, name.sessionKey)).toBe(undefined);
      const code = await rejectionCode(store.read({ ...stored, ...name }));
      expect(code).toBe("ARTIFACT_NOT_FOUND");
      expect(await store.delete(name.id, name.sessionKey)).toBe(false);
    }
    expect(await store.list(OTHER_SESSION)).toEqual({ artifacts: [], cursor: undefined });
    expect(await store.read(stored)).toEqual(ONE);
  },
  "refuses to store under an id or file name that could leave its root": async ({
    store,
    expect,
  }) => {
    const valid = contractArtifact(0);
    const forged = FORGED_IDS.map((id) => ({ id, fileName: `atlatl-recall-${id}.jsonl` }));
    const names = [`../${valid.id}`, `/tmp/${valid.id}`, `.${valid.id}`, "notes.txt"];
    for (const changes of [...forged, ...names.map((fileName) => ({ fileName }))]) {
      const code = await rejectionCode(store.put({ ...valid, ...changes }, []));
      expect(code).toBe("STORE_WRITE_FAILED");
    }
    expect((await store.list(valid.sessionKey)).artifacts).toEqual([]);
  },
  "lets one of twenty writers of the same id win, with its whole body, and none after it": async ({
    store,
    expect,
  }) => {
    const artifact = contractArtifact(100_000);
    const bodies = Array.from({ length: 20 }, (_, value) => new Uint8Array(100_000).fill(value));
    const codes = await Promise.all(
      bodies.map((body) => rejectionCode(store.put(artifact, [body]))),
    );
    expect(codes.filter((code) => code === "resolved").length).toBe(1);
    const winner = bodies[codes.indexOf("resolved")] ?? new Uint8Array();
    const late = store.put(artifact, [new Uint8Array(100_000)]);
    expect(await rejectionCode(late)).toBe("STORE_WRITE_FAILED");
    expect(Buffer.compare(await store.read({ ...artifact }), winner)).toBe(0);
  },
  "stores many artifacts at once": async ({ store, expect }) => {
    const bodies = Array.from({ length: 100 }, (_, index) => Uint8Array.of(index, index));
    const stored = await Promise.all(bodies.map((body) => store.put(contractArtifact(2), [body])));
    expect(await Promise.all(stored.map((artifact) => store.read(artifact)))).toEqual(bodies);
  },
  "leaves nothing of a body that fails in the middle, or is a byte shorter or longer than announced":
    async (context) => {
      await expectRefused(context, 1_000_000, rejecting());
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
    expect(await rejectionCode(store.put(artifact, [ONE]))).toBe("STORE_WRITE_FAILED");
    await restore();
    expect(await store.stat(artifact.id, artifact.sessionKey)).toBe(undefined);
    expect(await store.read(await store.put(artifact, [ONE]))).toEqual(ONE);
  },
};
