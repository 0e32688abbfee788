import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import type { Output, Surroundings } from "../../src/cli/call.js";
import { run } from "../../src/cli/run.js";
import { type RawClient, rawClient } from "../adapters/mcp/connections.js";

/** What a command line came to. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program. */
export const MAIN: string = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface HereOptions {
  readonly nowMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly stdin?: string;
  /** Which of the two streams are terminals. */
  readonly terminal?: { readonly out?: boolean; readonly err?: boolean };
}

/** Of a process that prints nowhere. */
export function surroundings(given: Partial<Surroundings> = {}): Surroundings {
  const output: Output = { isTerminal: false, write: async () => {} };
  return { env: {}, now: Date.now, input: Readable.from([]), out: output, err: output, ...given };
}

/** Runs the command line within this process. */
export async function runHere(
  args: readonly string[],
  { nowMs, env = {}, stdin = "", terminal = {} }: HereOptions = {},
): Promise<Outcome> {
  const chunks: Record<"out" | "err", Buffer[]> = { out: [], err: [] };
  const outputOf = (name: "out" | "err"): Output => ({
    isTerminal: terminal[name] === true,
    write: async (data) => {
      chunks[name].push(Buffer.from(data));
    },
  });
  const now = (): number => nowMs ?? Date.now();
  const input = Readable.from([Buffer.from(stdin)]);
  const code = await run(args, { env, now, input, out: outputOf("out"), err: outputOf("err") });
  const [stdout, stderr] = [chunks.out, chunks.err].map((parts) =>
    Buffer.concat(parts).toString("utf8"),
  );
  return { code, stdout: stdout ?? "", stderr: stderr ?? "" };
}

/** Runs a program in a process of its own, by default the built command. */
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [process.execPath, MAIN],
): Promise<Outcome> {
  const [executable = "", ...first] = program;
  const child = spawn(executable, [...first, ...args], {
    // As if a shell had started it, not a package manager.
    env: { ...process.env, npm_config_user_agent: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? -1));
  });
  return { code, stdout, stderr };
}

/** A proxy of the command as a process, and a client that sees its output byte for byte. */
export function startProxy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): {
  readonly child: ChildProcess;
  readonly client: RawClient;
  readonly exited: Promise<[number | null, string | null]>;
  readonly stderr: () => string;
} {
  const child = spawn(process.execPath, [MAIN, "proxy", ...args], {
    env: { ...process.env, ...env },
    stdio: "pipe",
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  const end = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  child.stdin.on("error", () => undefined);
  const client = rawClient(child.stdout, (line) => child.stdin.write(`${line}\n`), end);
  return { child, client, exited, stderr: () => stderr };
}
