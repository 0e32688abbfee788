import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { once } from "node:events";
import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { OffloadError } from "../../../src/errors.js";
import { s3Store } from "../../../src/store/s3/index.js";
import { s3Keys } from "../../../src/store/s3/keys.js";
import { scopeOf } from "../../../src/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { patternBytes, pieces } from "../../../src/testing/store-contract/contract-body.js";
import { rejectionCode } from "../../../src/testing/store-contract/rejection-code.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { startS3Double } from "../s3-double.js";
import { s3Client, startFauxS3, startMoto } from "../s3-servers.js";

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const now = (): number => CONTRACT_START_MS;
const double = await startS3Double();
const careless = await startS3Double({ heedsConditions: false });
const fauxqs = await startFauxS3();
const moto = await startMoto();
const client = s3Client(double.port);
const clients: S3Client[] = [client];

afterAll(async () => {
  for (const one of clients) one.destroy();
  await Promise.all([double.stop(), careless.stop(), fauxqs.stop(), moto?.stop()]);
});

beforeEach(() => {
  double.objects.clear();
  double.uploads.clear();
  double.decide = () => "served";
});

function newClient(port: number): S3Client {
  const one = s3Client(port);
  clients.push(one);
  return one;
}

for (const [name, server] of [
  ["fauxqs", fauxqs],
  ["a server that heeds conditions", double],
  // Not on every machine, and in no registry of ours; the two above cover what it does.
  ...(moto === undefined ? [] : [["moto", moto] as const]),
] as const) {
  const shared = newClient(server.port);
  storeContract(
    `s3, ${name}`,
    async (clock) => {
      const prefix = `test/${randomBytes(6).toString("hex")}`;
      return {
        store: s3Store({ client: shared, bucket: "test", prefix, now: clock.now }),
        cleanup: async () => double.objects.clear(),
        rewriteRecord: async ({ id, scope }, change) => {
          const object = { Bucket: "test", Key: `${prefix}/artifact/${scope}/${id}` };
          const { Body: body } = await shared.send(new GetObjectCommand(object));
          const bytes = Buffer.from((await body?.transformToByteArray()) ?? []);
          const lineEnd = bytes.indexOf("\n");
          const line = Buffer.from(change(bytes.toString("utf8", 0, lineEnd)));
          const Body = Buffer.concat([line, bytes.subarray(lineEnd)]);
          await shared.send(new PutObjectCommand({ ...object, Body }));
        },
        ...(server === double && {
          failWrites: async () => {
            double.decide = ({ method }) => (method === "GET" ? "served" : "dropped");
            return async () => void (double.decide = () => "served");
          },
        }),
      };
    },
    { describe, it, expect },
  );
}

describe("s3 store", () => {
  const store = s3Store({ client, bucket: "test", now });
  const key = ({ id, scope }: { id: string; scope: string }): string =>
    `offload/artifact/${scope}/${id}`;

  it("keeps a large body in parts, of which ranges across parts are read", async () => {
    const body = patternBytes(20 * MEGABYTE + 3);
    const stored = await store.put(contractArtifact(body.length), pieces(body, 1_000_003));
    expect(double.uploads.size).toBe(0);
    expect(Buffer.compare(await store.read(stored), body)).toBe(0);
    for (const middle of [8 * MEGABYTE, 16 * MEGABYTE]) {
      const range = { start: middle - 5000, end: middle + 5000 };
      const read = await store.read(stored, range);
      expect(Buffer.compare(read, body.slice(range.start, range.end))).toBe(0);
    }
  });

  it("takes no more memory for a larger body", async () => {
    let most = 0;
    function* endless(): Generator<Uint8Array> {
      const piece = new Uint8Array(MEGABYTE);
      for (let index = 0; index < 120; index += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers);
        yield piece;
      }
    }
    // Dropped at once, so that what is measured is the store's and not the server's.
    double.decide = ({ path }) => (path.includes("partNumber") ? "dropped" : "served");
    const before = process.memoryUsage().arrayBuffers;
    const artifact = contractArtifact(120 * MEGABYTE);
    expect(await rejectionCode(store.put(artifact, endless()))).toBe("STORE_WRITE_FAILED");
    expect(most - before).toBeLessThan(40 * MEGABYTE);
    expect(double.uploads.size).toBe(0);
  });

  it("lets one of two processes win that write the same id, in one request and in parts", async () => {
    for (const sizeBytes of [1000, 9 * MEGABYTE]) {
      const artifact = contractArtifact(sizeBytes);
      const writers = [1, 2, 3].map((value) => ({
        body: new Uint8Array(sizeBytes).fill(value),
        store: s3Store({ client: newClient(double.port), bucket: "test", now }),
      }));
      const outcomes = await Promise.all(
        writers.map((writer) => rejectionCode(writer.store.put(artifact, [writer.body]))),
      );
      expect(outcomes.toSorted()).toEqual(["STORE_WRITE_FAILED", "STORE_WRITE_FAILED", "resolved"]);
      const winner = writers[outcomes.indexOf("resolved")]?.body ?? new Uint8Array();
      expect(Buffer.compare(await store.read(artifact), winner)).toBe(0);
      expect(double.uploads.size).toBe(0);
    }
  });

  it("refuses an id that is taken on a server that heeds no condition, whoever wrote it", async () => {
    const of = (): ReturnType<typeof s3Store> =>
      s3Store({ client: newClient(careless.port), bucket: "test", now });
    const stored = await of().put(contractArtifact(1), [Uint8Array.of(1)]);
    expect(await rejectionCode(of().put(stored, [Uint8Array.of(2)]))).toBe("STORE_WRITE_FAILED");
    expect(await of().read(stored)).toEqual(Uint8Array.of(1));
  });

  it("never mixes the bodies of two writers, also where no condition is heeded", async () => {
    const sizeBytes = 9 * MEGABYTE;
    const artifact = contractArtifact(sizeBytes);
    const bodies = [1, 2].map((value) => new Uint8Array(sizeBytes).fill(value));
    await Promise.allSettled(
      bodies.map((body) =>
        s3Store({ client: newClient(careless.port), bucket: "test", now }).put(artifact, [body]),
      ),
    );
    const read = await s3Store({ client: newClient(careless.port), bucket: "test", now }).read(
      artifact,
    );
    expect(bodies.some((body) => Buffer.compare(body, read) === 0)).toBe(true);
  });

  it("has stored what a lost answer was about, as it finds out itself", async () => {
    for (const sizeBytes of [10, 9 * MEGABYTE]) {
      for (const attempts of [1, 3]) {
        let left = attempts;
        double.decide = ({ method, path }) => {
          const last = path.includes("/artifact/") && !path.includes("partNumber");
          const published = last && (method === "PUT" || /^(?!.*uploads).*uploadId/.test(path));
          if (!published || method === "DELETE" || left === 0) return "served";
          left -= 1;
          return "answer dropped";
        };
        const body = patternBytes(sizeBytes);
        const stored = await store.put(contractArtifact(sizeBytes), [body]);
        expect(left).toBe(0);
        expect(Buffer.compare(await store.read(stored), body)).toBe(0);
      }
    }
  });

  it("is not broken by what others put into its folders", async () => {
    const stored = await store.put(contractArtifact(3), [Uint8Array.of(1, 2, 3)]);
    const other = await store.put(contractArtifact(3), [new Uint8Array(3)]);
    const own = double.objects.get(key(stored))?.body ?? Buffer.alloc(0);
    const foreign: Record<string, Buffer> = {
      [`offload/artifact/${stored.scope}/`]: Buffer.alloc(0),
      [`offload/artifact/${stored.scope}/\u0001\u{1F600}%zz&<`]: own,
      [`offload/artifact/${stored.scope}/../${stored.id}`]: own,
      [`offload/expiry/notes.txt`]: own,
      [`offload/expiry/0000000000000001/${stored.scope}/x`]: own,
      [`offload/expiry/0000000000000001/../${stored.id}`]: own,
    };
    for (const body of [Buffer.alloc(0), Buffer.alloc(9000), Buffer.from("{}\n"), own]) {
      // Under a valid name: nothing, something, a foreign record, another artifact's record.
      foreign[key(contractArtifact(0))] = body;
    }
    for (const body of [own.subarray(1), own.subarray(0, -1), Buffer.concat([own, own])]) {
      foreign[key(contractArtifact(0))] = body;
    }
    for (const [name, body] of Object.entries(foreign)) {
      double.objects.set(name, { body, metadata: {} });
    }
    expect((await store.list(stored.scope)).artifacts.map(({ id }) => id)).toEqual(
      [stored.id, other.id].toSorted(),
    );
    expect((await store.list(stored.scope, { pageSize: 1 })).artifacts).toHaveLength(1);
    expect(await store.sweep(stored.expiresAt)).toHaveLength(2);
    expect(new Set(double.objects.keys())).toEqual(new Set(Object.keys(foreign)));
  });

  it("has no artifact where an object was changed, and sweeps it in its time", async () => {
    const change: ((body: Buffer) => Buffer)[] = [
      () => Buffer.alloc(0),
      (body) => body.subarray(0, 40),
      (body) => body.subarray(0, -1),
      (body) => Buffer.concat([body, Buffer.of(1)]),
      (body) => Buffer.from(body.toString().replace('"sizeBytes":3', '"sizeBytes":4')),
      (body) => Buffer.from(body.toString().replace(/"scope":"..../, '"scope":"0000')),
      () => Buffer.alloc(3 * MEGABYTE),
    ];
    for (const changed of change) {
      const stored = await store.put(contractArtifact(3), [Uint8Array.of(65, 66, 67)]);
      const object = double.objects.get(key(stored)) ?? { body: Buffer.alloc(0), metadata: {} };
      double.objects.set(key(stored), { ...object, body: changed(object.body) });
      expect(await store.stat(stored.id, stored.scope)).toBeUndefined();
      expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_NOT_FOUND");
      expect((await store.list(stored.scope)).artifacts).toEqual([]);
      expect(await store.sweep(stored.expiresAt)).toEqual([]);
      expect([...double.objects.keys()].filter((name) => name.includes("/artifact/"))).toEqual([]);
      expect(await store.sweep(stored.expiresAt + DAY_MS)).toEqual([]);
      expect([...double.objects.keys()]).toEqual([]);
    }
  });

  it("does not mix two objects in one read", async () => {
    const body = patternBytes(100_000);
    const stored = await store.put(contractArtifact(body.length), [body]);
    const object = double.objects.get(key(stored)) ?? { body: Buffer.alloc(0), metadata: {} };
    double.decide = ({ path }) => {
      if (path.includes("/artifact/")) {
        const turned = Buffer.from(object.body);
        turned[turned.length - 1] = (turned.at(-1) ?? 0) + 1;
        setImmediate(() => double.objects.set(key(stored), { ...object, body: turned }));
      }
      return "served";
    };
    expect(await rejectionCode(store.read(stored))).toBe("STORE_READ_FAILED");
  });

  it("finds records of up to a megabyte", async () => {
    const artifact = contractArtifact(5, { args: { text: "\u{1F600}".repeat(200_000) } });
    const stored = await store.put(artifact, [patternBytes(5)]);
    expect(await store.stat(stored.id, stored.scope)).toEqual(stored);
    expect(await store.read(stored, { start: 2, end: 9 })).toEqual(patternBytes(5).slice(2));
  });

  it("keeps what was stored anew with a later expiry after a first try had failed", async () => {
    const first = contractArtifact(2);
    expect(await rejectionCode(store.put(first, [Uint8Array.of(1)]))).toBe("STORE_WRITE_FAILED");
    const later = { ...first, expiresAt: first.expiresAt + 1 };
    await store.put(later, [Uint8Array.of(1, 2)]);
    expect(await store.sweep(first.expiresAt)).toEqual([]);
    expect(await store.stat(first.id, first.scope)).toEqual(later);
    expect(await store.sweep(later.expiresAt)).toEqual([later]);
    expect(double.objects.size).toBe(0);
  });

  it("finds what is stored after its life was over and another process has swept", async () => {
    // More than one request carries ends with its upload.
    for (const [sizeBytes, outcome] of [
      [1000, "resolved"],
      [9 * MEGABYTE, "STORE_WRITE_FAILED"],
    ] as const) {
      const artifact = contractArtifact(sizeBytes);
      async function* late(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(sizeBytes - 1);
        const other = s3Store({ client: newClient(double.port), bucket: "test", now });
        expect(await other.sweep(artifact.expiresAt)).toEqual([]);
        yield new Uint8Array(1);
      }
      expect(await rejectionCode(store.put(artifact, late()))).toBe(outcome);
      const swept = await store.sweep(artifact.expiresAt);
      expect(swept).toEqual(outcome === "resolved" ? [artifact] : []);
      await store.sweep(artifact.expiresAt + DAY_MS);
      expect([...double.objects.keys(), ...double.uploads.keys()]).toEqual([]);
    }
  });

  it("tells a bucket that is missing from an artifact that is", async () => {
    const none = s3Store({ client, bucket: "none", now });
    const artifact = contractArtifact(0);
    const { id, scope } = artifact;
    expect(await rejectionCode(none.stat(id, scope))).toBe("STORE_READ_FAILED");
    expect(await rejectionCode(none.list(scope))).toBe("STORE_READ_FAILED");
    expect(await rejectionCode(none.put(artifact, []))).toBe("STORE_WRITE_FAILED");
    expect(await rejectionCode(none.delete(id, scope))).toBe("STORE_WRITE_FAILED");
    expect(await rejectionCode(none.sweep(now()))).toBe("STORE_WRITE_FAILED");
  });

  it("waits a bounded time for a server that says nothing, or not all of it", async () => {
    const half = "HTTP/1.1 206 x\r\ncontent-length: 99\r\ncontent-range: bytes 0-98/99\r\n\r\nx";
    for (const text of ["", half]) {
      const silent = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.write(text));
      });
      silent.listen(0, "127.0.0.1");
      await once(silent, "listening");
      const address = silent.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      const patient = s3Store({ client: newClient(port), bucket: "test", timeoutMs: 150 });
      const { id, scope } = contractArtifact(0);
      await expect(patient.stat(id, scope)).rejects.toThrow(/GetObject within 150 ms/);
      silent.close();
      clients.at(-1)?.destroy();
    }
  });

  it("refuses options that are not allowed", () => {
    const prefixes = ["", "/", "a/", "/a", "a//b", "..", "a/../b", ".", "a b", "ä", "a\n"];
    const tooLong = ["x".repeat(65), "a/".repeat(8) + "a"];
    for (const prefix of [...prefixes, ...tooLong]) {
      expect(() => s3Store({ client, bucket: "test", prefix })).toThrow(OffloadError);
    }
    for (const timeoutMs of [0, 0.5, Number.NaN, 3_600_001]) {
      expect(() => s3Store({ client, bucket: "test", timeoutMs })).toThrow(OffloadError);
    }
    expect(() => s3Store({ client, bucket: "test", prefix: "agents/v1.2/out_puts" })).not.toThrow();
  });
});

describe("s3 store's keys", () => {
  const keys = s3Keys("offload");
  const scope = scopeOf("session one");

  it("come back as the names that they were made of, in the order of time", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48), fc.nat(2 ** 48), (one, other) => {
        const artifact = contractArtifact(0, { scope, expiresAt: one });
        const key = keys.expiry(artifact);
        expect(keys.expiryOf(key)).toEqual({ key, id: artifact.id, scope, expiresAt: one });
        const later = keys.expiry({ ...artifact, expiresAt: other });
        if (one < other) expect(key < later).toBe(true);
        expect(keys.idOf(keys.artifact(artifact), scope)).toBe(artifact.id);
      }),
    );
  });

  it("are no names when others made them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(keys.expiryOf(`offload/expiry/${text}`)).toBeUndefined();
        expect(keys.expiryOf(text)).toBeUndefined();
        expect(keys.idOf(text, scope)).toBeUndefined();
        expect(keys.idOf(keys.sessionPrefix(scope) + text, scope)).toBeUndefined();
      }),
    );
  });
});
