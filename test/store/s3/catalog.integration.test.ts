import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listArtifacts } from "../../../src/store/list-artifacts.js";
import { s3Store } from "../../../src/store/s3/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/types/artifact.js";
import { inLanes } from "../../../src/util/slices.js";
import { startS3Double } from "../s3-double.js";
import { s3Client } from "../s3-servers.js";

const double = await startS3Double();
const client = s3Client(double.port);
const now = (): number => CONTRACT_START_MS;
const { scope } = contractArtifact(0);

afterAll(async () => {
  client.destroy();
  await double.stop();
});
beforeEach(() => {
  double.objects.clear();
  double.decide = () => "served";
});

/** Two catalogs, and some that no catalog has yet. */
const COUNT = 210;
let filled: readonly StoredArtifact[] = [];
let objects = new Map(double.objects);

beforeAll(async () => {
  const store = s3Store({ client, bucket: "test", now });
  const stored: StoredArtifact[] = [];
  await inLanes(Array.from({ length: COUNT }), 16, async () => {
    stored.push(await store.put(contractArtifact(1), [Uint8Array.of(1)]));
  });
  filled = stored.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  objects = new Map(double.objects);
});

/** What a process has stored that is gone. */
function fill(): readonly StoredArtifact[] {
  for (const [key, object] of objects) double.objects.set(key, object);
  return filled;
}

/** What another process lists, and how many requests it takes. */
async function listed(): Promise<{ artifacts: StoredArtifact[]; requests: number }> {
  let requests = 0;
  double.decide = () => {
    requests += 1;
    return "served";
  };
  const artifacts = await listArtifacts(s3Store({ client, bucket: "test", now }), scope);
  return { artifacts, requests };
}

const catalogs = (): string[] =>
  [...double.objects.keys()].filter((key) => key.startsWith("offload/catalog/"));

describe("catalogs of a session in S3", () => {
  it("are read in place of each artifact, and tell the same", async () => {
    const stored = fill();
    expect(catalogs()).toHaveLength(2);
    const quick = await listed();
    expect(quick.artifacts).toEqual(stored);
    // Two lists, two catalogs, and what no catalog has yet.
    expect(quick.requests).toBe(2 + 2 + 10);
    for (const key of catalogs()) double.objects.delete(key);
    expect(await listed()).toEqual({ artifacts: stored, requests: 2 + COUNT });
  });
});
