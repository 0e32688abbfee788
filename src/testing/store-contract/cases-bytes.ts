import { newArtifactId, sessionKeyOf } from "../../core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  pieces,
  rejectionCode,
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
  "01ARZ3NDEKTSV4RRFFQ69G5FA\0",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV/../x",
  "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  "__proto__",
  "*",
  "x".repeat(300),
];

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

export const byteCases: ContractCases = {
  "returns bodies of every size and every byte, however they came": async ({ store, reads }) => {
    const all = Uint8Array.of(...Array(256).keys(), 0xed, 0xa0, 0x80, 0xff, 0xc0);
    const large = patternBytes(MEGABYTE);
    const larger = patternBytes(3 * MEGABYTE + 1);
    const given: readonly (readonly [Uint8Array, Chunks])[] = [
      [all, [all]],
      [larger, [larger]],
      [new Uint8Array(), []],
      [large, pieces(large, 997)],
      [large, pieces(large, 300_001)],
      [large, asynchronousPieces(large)],
      [Uint8Array.of(1, 1, 2, 2, 3, 3), oneMemoryForAll()],
    ];
    for (const [body, chunks] of given) {
      await reads(await store.put(contractArtifact(body.length), chunks), body);
    }
  },
  "returns the artifact's facts from put, stat and list alike, whatever happens to the given ones":
    async ({ store, same, stat, lists }) => {
      const args = { query: "before" };
      const artifact = contractArtifact(1, { args, bodySha256: "0".repeat(64) });
      const stored = await store.put(artifact, [ONE]);
      same({ ...stored, filePath: undefined }, { ...artifact, filePath: undefined });
      const before = structuredClone(stored);
      args.query = "after";
      Object.assign(stored.args ?? {}, { query: "after" });
      const found = await stat(artifact);
      same(found, before);
      Object.assign(found?.args ?? {}, { query: "after" });
      await lists(before);
    },
  "reads ranges within, at and past the end like a slice, by its own facts": async (context) => {
    const { store, reads } = context;
    const body = patternBytes(300_000);
    const stored = await store.put(contractArtifact(body.length), [body]);
    const offsets = [0, 1, 65_536, 262_144, 299_999, 300_000, 300_001, 9e15];
    for (const start of offsets) {
      for (const end of offsets) {
        await reads(stored, body.slice(start, Math.max(start, end)), { start, end });
      }
    }
    const forged = {
      ...stored,
      sizeBytes: 1,
      expiresAt: 0,
      fileName: "../etc/passwd",
      filePath: "/etc/passwd",
    };
    await reads(forged, body);
  },
  "answers unknown and forged ids, and those of other sessions, alike": async (context) => {
    const { store, same, ends, stat, reads } = context;
    const stored = await store.put(contractArtifact(1), [ONE]);
    const { id, fileName } = stored;
    const unknown = newArtifactId(CONTRACT_START_MS);
    const ids = [...FORGED_IDS, unknown, id.toLowerCase(), ` ${id}`, fileName];
    const asked = ids.map((forged) => ({ ...stored, id: forged }));
    for (const other of [...asked, { ...stored, sessionKey: OTHER_SESSION }]) {
      same(await stat(other), undefined);
      await ends(store.read(other), "ARTIFACT_NOT_FOUND");
      same(await store.delete(other.id, other.sessionKey), false);
    }
    same(await store.list(OTHER_SESSION), { artifacts: [], cursor: undefined });
    await reads(stored, ONE);
  },
  "refuses to store under an id or file name that could leave its root": async (context) => {
    const { store, ends, lists } = context;
    const valid = contractArtifact(0);
    const forged = FORGED_IDS.map((id) => ({ id, fileName: `atlatl-recall-${id}.jsonl` }));
    const names = [`../${valid.id}`, `/tmp/${valid.id}`, `.${valid.id}`, "notes.txt"];
    for (const changes of [...forged, ...names.map((fileName) => ({ fileName }))]) {
      await ends(store.put({ ...valid, ...changes }, []), "STORE_WRITE_FAILED");
    }
    await lists();
  },
  "lets one of twenty writers of the same id win, with its whole body, and none after it": async (
    context,
  ) => {
    const { store, same, ends } = context;
    const artifact = contractArtifact(100_000);
    const bodies = Array.from({ length: 20 }, (_, value) => new Uint8Array(100_000).fill(value));
    const codes = await Promise.all(
      bodies.map((body) => rejectionCode(store.put(artifact, [body]))),
    );
    same(codes.filter((code) => code === "resolved").length, 1);
    await ends(store.put(artifact, [new Uint8Array(100_000)]), "STORE_WRITE_FAILED");
    const winner = bodies[codes.indexOf("resolved")] ?? new Uint8Array();
    same(Buffer.compare(await store.read({ ...artifact }), winner), 0);
  },
  "leaves nothing of a body that fails in the middle, or is a byte shorter or longer than announced":
    async ({ store, same, ends, stat, reads }) => {
      const refused: readonly (readonly [number, Chunks])[] = [
        [1_000_000, rejecting()],
        [10, [new Uint8Array(9)]],
        [10, [new Uint8Array(10), new Uint8Array(1)]],
      ];
      for (const [sizeBytes, chunks] of refused) {
        const artifact = contractArtifact(sizeBytes);
        await ends(store.put(artifact, chunks), "STORE_WRITE_FAILED");
        same(await stat(artifact), undefined);
        const body = patternBytes(sizeBytes);
        await reads(await store.put(artifact, [body]), body);
      }
    },
};
