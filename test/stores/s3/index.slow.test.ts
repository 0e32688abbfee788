import { randomBytes } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { s3Store } from "../../../src/stores/s3/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { startS3Double } from "../../core/store/s3-double.js";
import { s3Client, startFauxS3, startMoto } from "../../core/store/s3-servers.js";

const MEGABYTE = 1024 * 1024;
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
      const store = s3Store({ client: shared, bucket: "test", prefix, now: clock.now });
      return { store, cleanup: async () => double.objects.clear() };
    },
    { describe, it, expect },
  );
}

describe("s3 store", () => {
  const store = s3Store({ client, bucket: "test", now });

  it("keeps a large body in parts, of which ranges across parts are read", async () => {
    const body = patternBytes(20 * MEGABYTE + 3);
    const stored = await store.put(contractArtifact(body.length), [body]);
    expect(double.uploads.size).toBe(0);
    expect(Buffer.compare(await store.read(stored), body)).toBe(0);
    for (const middle of [8 * MEGABYTE, 16 * MEGABYTE]) {
      const range = { start: middle - 5000, end: middle + 5000 };
      const read = await store.read(stored, range);
      expect(Buffer.compare(read, body.slice(range.start, range.end))).toBe(0);
    }
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

  const of = () => s3Store({ client: newClient(careless.port), bucket: "test", now });

  it("refuses an id that is taken on a server that heeds no condition, whoever wrote it", async () => {
    const stored = await of().put(contractArtifact(1), [Uint8Array.of(1)]);
    expect(await rejectionCode(of().put(stored, [Uint8Array.of(2)]))).toBe("STORE_WRITE_FAILED");
    expect(await of().read(stored)).toEqual(Uint8Array.of(1));
  });

  it("never mixes the bodies of two writers, also where no condition is heeded", async () => {
    const sizeBytes = 9 * MEGABYTE;
    const artifact = contractArtifact(sizeBytes);
    const bodies = [1, 2].map((value) => new Uint8Array(sizeBytes).fill(value));
    await Promise.allSettled(bodies.map((body) => of().put(artifact, [body])));
    const read = await of().read(artifact);
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

  it("tells a bucket that is missing from an artifact that is", async () => {
    const none = s3Store({ client, bucket: "none", now });
    const artifact = contractArtifact(0);
    const { id, sessionKey } = artifact;
    expect(await rejectionCode(none.stat(id, sessionKey))).toBe("STORE_READ_FAILED");
    expect(await rejectionCode(none.list(sessionKey))).toBe("STORE_READ_FAILED");
    expect(await rejectionCode(none.put(artifact, []))).toBe("STORE_WRITE_FAILED");
    expect(await rejectionCode(none.delete(id, sessionKey))).toBe("STORE_WRITE_FAILED");
    expect(await rejectionCode(none.sweep(now()))).toBe("STORE_WRITE_FAILED");
  });
});
