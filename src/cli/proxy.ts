import { parseArgs } from "node:util";

import type { HttpServer } from "../adapters/mcp/http-upstream.js";
import { createOffloadProxy, type OffloadProxyOptions } from "../adapters/mcp/proxy.js";
import type { StdioServer } from "../adapters/mcp/stdio-upstream.js";
import type { DrillInOptions } from "../options.js";
import { fileStore } from "../store/file.js";
import type { ExitCode, Surroundings } from "./clean.js";

const HELP = `Usage: npx langchain-offload proxy [options] URL
       npx langchain-offload proxy [options] -- COMMAND [ARGUMENTS]

Stands in front of an MCP server and keeps large tool results out of the
client's context. The server is at URL (streamable HTTP), or is COMMAND.

Options:
  --threshold N        tokens that pass unchanged; default 1600
  --tools LIST         of extract,read,grep,jq; default extract,read
  --shell              the model has a shell: recipes are commands
  --directory DIR      where results are stored; --ttl N: for N seconds
  --session NAME       reach what an earlier run under this name stored
  --config FILE        a TOML file with [prompt.offload]
  --token-env NAME     variable of the environment with a bearer token;
                       default LANGCHAIN_OFFLOAD_TOKEN
  --header-env H=NAME  sends header H with the value of variable NAME
  --verbose            tells standard error what is stored

Exit codes: 0 the client or a signal ended it; 1 the server did; 2 wrong usage.
`;

const TOKEN_VARIABLE = "LANGCHAIN_OFFLOAD_TOKEN";
const TOOL_NAMES = {
  extract: "lro_extract",
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
} as const;

type Values = ReturnType<typeof parse>["values"];

/** A command line that cannot be run. */
class UsageError extends Error {}

/**
 * Runs the command `proxy`: speaks MCP on standard input and output until one side ends it. `out` is
 * used for the help alone. Never throws.
 */
export async function proxy(
  args: readonly string[],
  { env, out, err }: Surroundings,
): Promise<ExitCode> {
  let options: OffloadProxyOptions | undefined;
  try {
    options = optionsOf(args, env, err);
    if (options === undefined) {
      out(HELP);
      return 0;
    }
    return await serve(options, err);
  } catch (error) {
    err(`${error instanceof Error ? error.message : String(error)}\n`);
    err("See npx langchain-offload proxy --help.\n");
    return 2;
  }
}

async function serve(options: OffloadProxyOptions, err: (text: string) => void): Promise<ExitCode> {
  const running = createOffloadProxy(options);
  const stop = (): void => void running.close();
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  const { by, reason } = await running.closed;
  for (const signal of signals) process.off(signal, stop);
  if (by === "server") err(`${reason ?? "The server has ended"}.\n`);
  const code = by === "server" ? 1 : 0;
  // A client that no longer reads would keep this process for ever.
  if (process.stdout.writableLength > 0) process.exit(code);
  return code;
}

/** The proxy's options; `undefined` when the help was asked for. */
function optionsOf(
  args: readonly string[],
  env: Surroundings["env"],
  err: (text: string) => void,
): OffloadProxyOptions | undefined {
  const split = args.indexOf("--");
  const { values, positionals } = parse(split === -1 ? args : args.slice(0, split));
  if (values.help === true) return undefined;
  const [command, ...rest] = split === -1 ? [] : args.slice(split + 1);
  const { threshold, ttl, directory, session, config, shell, verbose } = values;
  if (directory === "") throw new UsageError("--directory is empty.");
  return {
    upstream:
      command === undefined
        ? httpServer(positionals, values, env)
        : stdioServer(command, rest, positionals),
    config: { env, file: config },
    drillIn: { names: toolsOf(values.tools) },
    ...(threshold !== undefined && {
      decide: { threshold: { tokens: wholeNumber("--threshold", threshold) } },
    }),
    ...(ttl !== undefined && { retention: { ttlMs: wholeNumber("--ttl", ttl) * 1000 } }),
    ...(directory !== undefined && { store: fileStore({ directory }) }),
    ...(session !== undefined && { sessionId: session }),
    ...(shell === true && { describe: { shell } }),
    ...(verbose === true && { onEvent: teller(err) }),
    onWarning: (sentence) => err(`${sentence}\n`),
  };
}

function httpServer(
  positionals: readonly string[],
  values: Values,
  env: Surroundings["env"],
): HttpServer {
  const [url, ...more] = positionals;
  if (url === undefined) throw new UsageError("A server is missing: a URL, or -- and a command.");
  if (more.length > 0) throw new UsageError("A command goes after --.");
  const headers: Record<string, string> = {};
  const token = env[values["token-env"] ?? TOKEN_VARIABLE];
  if (values["token-env"] !== undefined && !token) {
    throw new UsageError(`The variable ${values["token-env"]} of --token-env is not set.`);
  }
  if (token) headers["Authorization"] = `Bearer ${token}`;
  for (const given of values["header-env"] ?? []) {
    const [header = "", variable = ""] = given.split("=");
    const value = env[variable];
    if (!/^[A-Za-z0-9-]+$/.test(header) || variable === "") {
      throw new UsageError("--header-env takes a header and a variable, such as X-Api-Key=MY_KEY.");
    }
    if (!value) throw new UsageError(`The variable ${variable} of --header-env is not set.`);
    headers[header] = value;
  }
  return { url, headers };
}

function stdioServer(
  command: string,
  args: readonly string[],
  positionals: readonly string[],
): StdioServer {
  if (positionals.length > 0) throw new UsageError("Give a URL or a command after --, not both.");
  return { command, args };
}

function toolsOf(list: string | undefined): NonNullable<DrillInOptions["names"]> {
  const wanted = (list ?? "extract,read").split(",").filter((key) => key !== "");
  const unknown = wanted.find((key) => !Object.hasOwn(TOOL_NAMES, key));
  if (unknown !== undefined) {
    throw new UsageError(
      `--tools knows extract, read, grep and jq, not ${JSON.stringify(unknown)}.`,
    );
  }
  return Object.fromEntries(
    Object.entries(TOOL_NAMES).map(([key, name]) => [key, wanted.includes(key) && name]),
  );
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} takes a whole number.`);
  return Number(text);
}

/** Writes events as lines: names, sizes and places, never data. */
function teller(err: (text: string) => void): NonNullable<OffloadProxyOptions["onEvent"]> {
  return (event) => {
    if (event.type === "offloaded") {
      const { toolName, tokens, filePath = "" } = event.storedArtifact;
      err(`${toolName}: ${tokens} tokens stored, ${event.descriptorTokens} sent. ${filePath}\n`);
    } else if (event.type === "drilled-in") {
      err(`${event.tool}: ${event.answerTokens} tokens sent.\n`);
    } else if (event.type === "write-failed") {
      const why = event.error instanceof Error ? event.error.message : String(event.error);
      err(`${event.toolName}: storing failed, ${event.fallback}. ${why}\n`);
    }
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      threshold: { type: "string" },
      tools: { type: "string" },
      shell: { type: "boolean" },
      directory: { type: "string" },
      ttl: { type: "string" },
      session: { type: "string" },
      config: { type: "string" },
      "token-env": { type: "string" },
      "header-env": { type: "string", multiple: true },
      verbose: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}
