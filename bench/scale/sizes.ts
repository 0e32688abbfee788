import type { ArtifactStore } from "../../src/core/store/artifact-store.js";
import { s3Store } from "../../src/stores/s3/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { s3Client, startFauxS3, startMoto } from "../../test/core/store/s3-servers.js";
import type { BenchRow } from "../row.js";
import { percentile } from "./messages.js";
import { openStore } from "./open-store.js";
import { openPostgres, openRedis } from "./services.js";

const SIZES = [
  { label: "16 KB", sizeBytes: 16_000 },
  { label: "1 MB", sizeBytes: 1_000_000 },
  { label: "20 MB", sizeBytes: 20_000_000 },
];
const RUNS = 5;

/** A body stored and read back whole in each of the databases, against S3: from which size on which is quicker. */
export async function sizeRows(): Promise<readonly BenchRow[]> {
  const moto = await startMoto();
  const server = moto ?? (await startFauxS3());
  const client = s3Client(server.port);
  const s3 = s3Store({ client, bucket: "test" });
  const rows: BenchRow[] = [];
  try {
    for (const open of [openPostgres, openRedis]) {
      const service = await open();
      if (service === undefined) continue;
      const { store, close } = await openStore({ service: service.name, connections: 4 });
      try {
        for (const { label, sizeBytes } of SIZES) {
          const [ours, other] = await alternately([store, s3], sizeBytes);
          rows.push({
            group: "scale",
            name: `${label} stored and read whole, alone, ${service.name}`,
            ours: `${ours.toFixed(1)} ms`,
            other: `${other.toFixed(1)} ms (s3 on ${moto === undefined ? "fauxqs" : "moto"})`,
            ratio: `${(ours / other).toFixed(2)}x`,
            goal: "-",
            met: null,
          });
        }
      } finally {
        await close();
        await service.close();
      }
    }
  } finally {
    client.destroy();
    await server.stop();
  }
  return rows;
}

async function alternately(
  stores: readonly [ArtifactStore, ArtifactStore],
  sizeBytes: number,
): Promise<readonly [number, number]> {
  const body = Buffer.alloc(sizeBytes, "what a tool has answered, ");
  const times: readonly [number[], number[]] = [[], []];
  for (let run = -1; run < RUNS; run += 1) {
    for (const [index, store] of stores.entries()) {
      const createdAt = Date.now();
      const start = performance.now();
      const stored = await store.put(
        contractArtifact(sizeBytes, { createdAt, expiresAt: createdAt + 3_600_000 }),
        [body],
      );
      await store.read(stored);
      // The first run warms caches and the compiler.
      if (run >= 0) times[index]?.push(performance.now() - start);
      await store.delete(stored.id, stored.scope);
    }
  }
  return [percentile(times[0], 0.5), percentile(times[1], 0.5)];
}
