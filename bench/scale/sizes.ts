import type { ArtifactStore } from "../../src/core/store/artifact-store.js";
import { s3Store } from "../../src/stores/s3/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { s3Client, startFauxS3, startMoto } from "../../test/core/store/s3-servers.js";
import { type BenchRow, inTurns, row } from "../harness.js";
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
          const body = Buffer.alloc(sizeBytes, "what a tool has answered, ");
          const [ours = NaN, other = NaN] = await inTurns(
            [store, s3].map((one) => roundTrip(one, body)),
            RUNS,
            { warmUps: 1 },
          );
          rows.push(
            row({
              group: "scale",
              name: `${label} stored and read whole, alone, ${service.name}`,
              ours: `${ours.toFixed(1)} ms`,
              other: `${other.toFixed(1)} ms (s3 on ${moto === undefined ? "fauxqs" : "moto"})`,
              ratio: `${(ours / other).toFixed(2)}x`,
            }),
          );
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

/** Puts a body and reads it back. */
function roundTrip(store: ArtifactStore, body: Buffer): () => Promise<() => Promise<unknown>> {
  return async () => {
    const createdAt = Date.now();
    const artifact = contractArtifact(body.length, {
      createdAt,
      expiresAt: createdAt + 3_600_000,
    });
    const stored = await store.put(artifact, [body]);
    await store.read(stored);
    return () => store.delete(stored.id, stored.sessionKey);
  };
}
