import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  decodeRecord,
  decodeRecords,
  encodeRecord,
  MAX_RECORD_BYTES,
  withExpiry,
} from "../../../src/core/store/artifact-record.js";
import type { NewArtifact } from "../../../src/core/store/artifact-store.js";
import { piecesOf } from "../../../src/core/store/chunks.js";
import { clampRange, driverStore, type StoreDriver } from "../../../src/core/store/store-driver.js";
import { prefixName, sessionKeyOf } from "../../../src/core/store/naming.js";
import { newArtifact } from "../../../src/core/store/new-artifact.js";
import {
  contractArtifact,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { countTurns } from "../../count-turns.js";

it("leaves out an argument or a parameter that is called as what objects inherit", () => {
  const hostile: Record<string, number> = JSON.parse('{"limit":5,"__proto__":7}');
  const [recipe] = contractArtifact(1).recipes;
  const artifact = contractArtifact(1, {
    args: hostile,
    recipes: recipe ? [{ ...recipe, params: hostile }] : [],
  });
  const kept = { args: { limit: 5 }, recipes: [{ ...recipe, params: { limit: 5 } }] };
  const { text } = encodeRecord(artifact);
  expect(JSON.parse(text)).toMatchObject(kept);
  expect(text).not.toContain("__proto__");
  const stored = JSON.stringify({ ...JSON.parse(text), args: hostile });
  expect(stored).toContain("__proto__");
  expect(JSON.stringify(decodeRecord(stored)?.record)).not.toContain("__proto__");
});

it("takes a damaged record for none, and reads those after it", async () => {
  const { record, text } = encodeRecord(contractArtifact(1));
  const damaged = ["{", JSON.stringify({ ...record, kind: "of a time to come" })];
  expect(damaged.map(decodeRecord)).toEqual([undefined, undefined]);
  expect(await decodeRecords([...damaged, text])).toEqual([record]);
});

it("keeps a field of another version when its expiry moves", () => {
  const text = JSON.stringify({ ...contractArtifact(1), of_another_version: { deep: [1, "two"] } });
  const moved: unknown = JSON.parse(withExpiry(text, 7));
  expect(moved).toMatchObject({ expiresAt: 7, of_another_version: { deep: [1, "two"] } });
});

const withQuery = (characters: number): NewArtifact =>
  contractArtifact(5, { args: { query: "x".repeat(characters) } });

it("a range always lies within the body", () => {
  const offset = fc.oneof(fc.integer(), fc.double());
  fc.assert(
    fc.property(offset, offset, fc.nat(), (start, end, sizeBytes) => {
      const range = clampRange({ start, end }, sizeBytes);
      expect(Number.isInteger(range.start) && Number.isInteger(range.end)).toBe(true);
      expect(0 <= range.start && range.start <= range.end && range.end <= sizeBytes).toBe(true);
    }),
  );
});

it("an artifact record takes text up to exactly the limit and refuses one byte more", () => {
  const emptyBytes = Buffer.byteLength(encodeRecord(withQuery(0)).text);
  expect(encodeRecord(withQuery(MAX_RECORD_BYTES - emptyBytes)).text).toHaveLength(
    MAX_RECORD_BYTES,
  );
  expect(() => encodeRecord(withQuery(MAX_RECORD_BYTES - emptyBytes + 1))).toThrow(RangeError);
});

it("a large piece is copied whole, and the event loop has its turns meanwhile", async () => {
  const body = Buffer.alloc(9_000_001, "abc");
  const counted = countTurns();
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(
    [body.subarray(0, 10), body.subarray(10)],
    body.length,
    body.length,
  ))
    pieces.push(piece);
  counted.stop();
  expect(pieces).toHaveLength(1);
  expect(Buffer.compare(pieces[0] ?? Buffer.alloc(0), body)).toBe(0);
  expect(counted.turns()).toBeGreaterThanOrEqual(4);
});

it("a body is asked for no more once it is longer than announced", async () => {
  const asked = { times: 0, isOver: false };
  function* endless(): Generator<Uint8Array> {
    try {
      for (;;) {
        asked.times += 1;
        yield new Uint8Array(10);
      }
    } finally {
      asked.isOver = true;
    }
  }
  const reading = async (): Promise<void> => {
    for await (const piece of piecesOf(endless(), 25, 10)) expect(piece).toHaveLength(10);
  };
  await expect(reading()).rejects.toThrow(RangeError);
  expect(asked).toEqual({ times: 3, isOver: true });
});

it.each([[new Uint8Array(3)], [[[new Uint16Array([300, 301, 302])]]], [["abc"]], [[null]]])(
  "a body that is not bytes is refused as one: %s",
  async (body: unknown) => {
    const pieces = piecesOf(body as Uint8Array[], 3, 10);
    await expect(pieces.next()).rejects.toThrow("A body must be an iterable of Uint8Array.");
  },
);

/** A service with one artifact, which is gone when its body is asked for. */
function goingDriver(artifact: NewArtifact, onRead: () => void): StoreDriver {
  const { text } = encodeRecord(artifact);
  let isThere = true;
  return {
    write: () => Promise.reject(new Error("full")),
    find: async () => (isThere ? decodeRecord(text) : undefined),
    async readBytes() {
      onRead();
      isThere = false;
      return undefined;
    },
    page: async () => ({ records: [], next: undefined }),
    remove: async () => false,
    sweep: async () => [],
  };
}

it.each([
  ["has expired", 1, "ARTIFACT_EXPIRED"],
  ["was deleted", 0, "ARTIFACT_NOT_FOUND"],
])("an output that %s while it was read is told as such", async (_, laterMs, code) => {
  const artifact = contractArtifact(10);
  let nowMs = artifact.expiresAt - 1;
  const driver = goingDriver(artifact, () => (nowMs += laterMs));
  const store = driverStore("going", driver, () => nowMs);
  await expect(store.read(artifact)).rejects.toMatchObject({ code });
});

it("a fault of the service has the code of what was asked, and half a body is damaged", async () => {
  const artifact = contractArtifact(10);
  const { id, sessionKey, expiresAt } = artifact;
  const down = (): Promise<never> => Promise.reject(new Error("connection lost"));
  const faulty: StoreDriver = {
    write: down,
    readBytes: down,
    page: down,
    remove: down,
    sweep: down,
    replace: down,
    find: async () => decodeRecord(encodeRecord(artifact).text),
  };
  const codesOf = async (driver: StoreDriver): Promise<string[]> => {
    const store = driverStore("faulty", driver, () => 0);
    const asked = [
      store.read(artifact),
      store.list(sessionKey),
      store.stat(id, sessionKey),
      store.put(artifact, []),
      store.delete(id, sessionKey),
      store.sweep(0),
      store.refresh?.(id, sessionKey, expiresAt + 1) ?? down(),
    ];
    return await Promise.all(asked.map((call) => rejectionCode(call)));
  };
  const [read, write] = ["STORE_READ_FAILED", "STORE_WRITE_FAILED"];
  expect(await codesOf(faulty)).toEqual([read, read, "resolved", ...Array(4).fill(write)]);
  const lost = await codesOf({ ...faulty, find: down });
  expect(lost).toEqual([read, read, read, ...Array(4).fill(write)]);
  const going = driverStore(
    "going",
    { ...faulty, readBytes: async () => new Uint8Array(9) },
    () => 0,
  );
  expect(await rejectionCode(going.read(artifact))).toBe("ARTIFACT_DAMAGED");
});

it("no driver is asked for an id or a session key that cannot be one", async () => {
  const artifact = contractArtifact(10);
  const { id, sessionKey } = artifact;
  const asked: string[] = [];
  const driver: StoreDriver = {
    ...goingDriver(artifact, () => undefined),
    find: async (...given) => (asked.push(...given), undefined),
    page: async (given) => (asked.push(given), { records: [], next: undefined }),
    remove: async (...given) => (asked.push(...given), true),
  };
  const store = driverStore("strict", driver, () => 0);
  for (const key of ["", "*", `../${sessionKey}`, sessionKey.slice(1)]) {
    expect(await store.stat(id, key)).toBeUndefined();
    expect(await store.delete(id, key)).toBe(false);
    expect((await store.list(key)).artifacts).toEqual([]);
    expect(await store.stat(`../${id}`, sessionKey)).toBeUndefined();
  }
  expect(asked).toEqual([]);
});

function header(
  args: Record<string, unknown>,
  { operation = "recall", path = [] as string[], envelope = undefined as string | undefined } = {},
): string {
  const records = { count: 247, path, envelope, at: () => "{}" };
  const made = newArtifact({
    output: { toolName: "recall_memories", value: "", sessionId: "one", args },
    sessionKey: sessionKeyOf("one"),
    content: {
      kind: "json-array",
      layout: "records",
      body: Buffer.alloc(0),
      lineCount: 1,
      records,
    },
    bodyBytes: 0,
    bodySha256: undefined,
    measurement: { tokens: 38_285, exact: true, characters: 0, overLimit: true },
    operation,
    detail: "light",
    header: true,
    fileName: prefixName("atlatl"),
    schemaVersion: "1.1.0",
    recipes: [],
    fields: [],
    nowMs: Date.UTC(2026, 0, 15, 10, 30),
    ttlMs: 1,
  });
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(made.header);
}

it("rule 21: a header line is one line of valid UTF-8 that reads back, whatever the fields hold", () => {
  const anyText = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(
      anyText,
      anyText,
      fc.array(anyText),
      fc.jsonValue(),
      (operation, query, path, around) => {
        const envelope = JSON.stringify(around, null, 1);
        const text = header({ query }, { operation, path, envelope });
        expect(text.indexOf("\n")).toBe(text.length - 1);
        expect(JSON.parse(text)).toEqual(
          expect.objectContaining({ operation, query, envelope: JSON.parse(envelope) }),
        );
      },
    ),
  );
});
