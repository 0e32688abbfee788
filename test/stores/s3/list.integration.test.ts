import { afterAll, expect, it } from "vitest";
import { listArtifacts } from "../../../src/core/store/store-driver.js";
import { s3Store } from "../../../src/stores/s3/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { mapConcurrent } from "../../../src/util/slices.js";
import { startS3Double } from "../../core/store/s3-double.js";
import { s3Client } from "../../core/store/s3-servers.js";

const double = await startS3Double();
const client = s3Client(double.port);
const now = (): number => CONTRACT_START_MS;
const { sessionKey } = contractArtifact(0);

afterAll(async () => {
  client.destroy();
  await double.stop();
});

it("a list of a session in S3 takes one request a page and one an artifact, and finds what another process stored", async () => {
  const stored: StoredArtifact[] = [];
  const store = s3Store({ client, bucket: "test", now });
  await mapConcurrent(Array.from({ length: 30 }), 16, async () => {
    stored.push(await store.put(contractArtifact(1), [Uint8Array.of(1)]));
  });
  for (const key of double.objects.keys()) expect(key).toMatch(/^offload\/(artifact|expiry)\//);
  let requests = 0;
  double.decide = () => {
    requests += 1;
    return "served";
  };
  const listed = await listArtifacts(s3Store({ client, bucket: "test", now }), sessionKey);
  expect(listed).toEqual(stored.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  expect(requests).toBe(1 + 30);
});
