import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { linesOf, writeLine } from "./lines.js";
import { reasonOf, type Upstream, type UpstreamHost } from "./upstream.js";

/** A server that is started as a process and speaks over its standard streams. */
export interface StdioServer {
  readonly command: string;
  /** Handed over as they are; no shell reads them. */
  readonly args?: readonly string[];
  /** @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** What each step of the end may take: closed input, SIGTERM, SIGKILL. */
const GRACE_MS = 2_000;

/** Starts a server. Its standard error goes where this process's goes. */
export function stdioUpstream(server: StdioServer, host: UpstreamHost): Upstream {
  const { command, args = [], env, cwd } = server;
  const child = spawn(command, [...args], {
    stdio: ["pipe", "pipe", "inherit"],
    windowsHide: true,
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  let reason: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      reason ??= `The server could not be run: ${error.message}`;
      resolve();
    });
    child.once("exit", (code, signal) => {
      reason ??= `The server has ended (${signal ?? `exit code ${code}`})`;
      resolve();
    });
  });
  // Writing to a server that has ended is told by its end.
  child.stdin.on("error", () => undefined);
  async function relayToTheEnd(): Promise<void> {
    try {
      for await (const line of linesOf(child.stdout, host.maxMessageBytes)) {
        const written = host.onMessage(line);
        if (written !== undefined) await written;
      }
    } catch (error) {
      reason = `The server's output cannot be read: ${reasonOf(error)}`;
      child.kill();
    }
    // A server that closes its output has nothing more to say.
    await Promise.race([exited, delay(GRACE_MS, undefined, { ref: false })]);
    host.onEnd(reason ?? "The server has closed its output");
  }
  void relayToTheEnd();

  return {
    send: (_, text) =>
      writeLine(child.stdin, text) || !child.stdin.writable
        ? undefined
        : Promise.race([once(child.stdin, "drain"), exited]).then(
            () => undefined,
            () => undefined,
          ),
    async close() {
      child.stdin.end();
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        if (await endsSoon(exited)) return;
        child.kill(signal);
      }
      await endsSoon(exited);
    },
  };
}

async function endsSoon(exited: Promise<void>): Promise<boolean> {
  const isLate = new AbortController();
  try {
    return await Promise.race([
      exited.then(() => true),
      delay(GRACE_MS, false, { signal: isLate.signal }),
    ]);
  } finally {
    isLate.abort();
  }
}
