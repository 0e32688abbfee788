import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

import { linesOf, writeLine } from "./framing.js";
import {
  isRequest,
  nothing,
  reasonOf,
  type Upstream,
  type UpstreamHost,
  within,
} from "./upstream.js";

/** A server that is started as a process and speaks over its standard streams. */
export interface StdioServer {
  readonly command: string;
  /** Passed without a shell. */
  readonly args?: readonly string[];
  /** @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

const GRACE_MS = 2_000;
const LAST_GRACE_MS = 1_000;

/** The child shares this process's standard error. @throws Error when the system refuses to start it */
export function stdioUpstream(
  { command, args = [], env, cwd }: StdioServer,
  host: UpstreamHost,
): Upstream {
  const child = spawn(command, [...args], {
    stdio: ["pipe", "pipe", "inherit"],
    windowsHide: true,
    env,
    cwd,
  });
  let reason: string | undefined;
  let hasSpoken = false;
  let isKilled = false;
  let failure: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      reason ??= `The server could not be run: ${error.message}`;
      failure = reason;
      resolve();
    });
    child.once("exit", (code, signal) => {
      reason ??= `The server has ended (${signal ?? `exit code ${code}`})`;
      if (!hasSpoken && !isKilled && code !== 0) failure = reason;
      endSilent(child.stdout);
      resolve();
    });
  });
  child.stdin.on("error", nothing);

  async function relayToTheEnd() {
    try {
      for await (const line of linesOf(child.stdout, host.maxMessageBytes)) {
        hasSpoken = true;
        await host.onMessage(line);
      }
    } catch (error) {
      reason ??= `The server's output cannot be read: ${reasonOf(error)}`;
      child.kill();
    }
    // A server that closes its output has nothing more to say.
    await within(exited, GRACE_MS);
    host.onEnd(reason ?? "The server has closed its output");
  }
  void relayToTheEnd();

  return {
    send(message, { forward }) {
      const isTaken = writeLine(child.stdin, forward, (error) => {
        if (error && isRequest(message))
          host.onFailed(message, "The server no longer takes messages");
      });
      if (isTaken || !child.stdin.writable) return undefined;
      return Promise.race([once(child.stdin, "drain"), exited]).then(nothing, nothing);
    },
    async close(isAtOnce) {
      child.stdin.end();
      const isOver =
        (!isAtOnce && (await within(exited, GRACE_MS))) ||
        (await endsAfter("SIGTERM", isAtOnce ? LAST_GRACE_MS : GRACE_MS));
      if (!isOver) await endsAfter("SIGKILL", GRACE_MS);
      child.stdout.destroy();
      return failure;
    },
  };

  function endsAfter(signal: NodeJS.Signals, maxMs: number): Promise<boolean> {
    isKilled ||= child.exitCode === null;
    child.kill(signal);
    return within(exited, maxMs);
  }
}

/** Another process may hold the output open. */
function endSilent(output: Readable): void {
  if (output.destroyed) return;
  const timer = setTimeout(() => {
    if (output.readableLength === 0) output.destroy();
    else timer.refresh();
  }, GRACE_MS);
  output.on("readable", () => timer.refresh());
  output.once("close", () => clearTimeout(timer));
}
