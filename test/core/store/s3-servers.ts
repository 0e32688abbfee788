import { spawn } from "node:child_process";
import { once } from "node:events";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";

import { freePort } from "../../free-port.js";

/** A server with the bucket `test`. */
export interface S3Server {
  readonly port: number;
  stop(): Promise<unknown>;
}

/** A client of a server on this machine. */
export function s3Client(port: number): S3Client {
  return new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
}

async function createBucket(port: number): Promise<void> {
  const client = s3Client(port);
  await client.send(new CreateBucketCommand({ Bucket: "test" }));
  client.destroy();
}

/** Starts fauxqs in this process. It overwrites whatever `If-None-Match` says, and lists no uploads. */
export async function startFauxS3(): Promise<S3Server> {
  const server = await startFauxqs({ port: 0, logger: false });
  await createBucket(server.port);
  return { port: server.port, stop: () => server.stop() };
}

/** Starts moto, a server in Python; `undefined` on a machine that has none. */
export async function startMoto(): Promise<S3Server | undefined> {
  const port = await freePort();
  const child = spawn("moto_server", ["-p", String(port)], { stdio: "ignore" });
  const ended = once(child, "close").catch(() => undefined);
  for (
    let tries = 0;
    tries < 200 && child.exitCode === null && child.pid !== undefined;
    tries += 1
  ) {
    try {
      await createBucket(port);
      return {
        port,
        stop: async () => {
          child.kill("SIGKILL");
          await ended;
        },
      };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  child.kill("SIGKILL");
  return undefined;
}
