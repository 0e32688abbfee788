import type { HttpServer } from "../../adapters/mcp/transport/http-upstream.js";
import { createOffloadProxy, type OffloadProxyOptions } from "../../adapters/mcp/proxy.js";
import type { StdioServer } from "../../adapters/mcp/transport/stdio-upstream.js";
import { code } from "../../plugins/code/code.js";
import { media } from "../../plugins/media/media.js";
import type { DrillInOptions } from "../../core/options/options.js";
import { lro } from "../../presets/lro/lro.js";
import { fileStore } from "../../core/store/file/index.js";
import type { Command, ExitCode, Given, Surroundings } from "../command.js";
import { plainCommandLine } from "../command-line.js";
import { checkConfig, checkDirectory } from "../directory.js";
import { printableLine } from "../print/printable.js";
import { programName } from "../program-name.js";
import { wrongUsage } from "../wrong-usage.js";

const TOKEN_VARIABLE = "LANGCHAIN_OFFLOAD_TOKEN";
const TOOL_NAMES = {
  extract: "lro_extract",
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
} as const;

/** `proxy`: speaks MCP on standard input and output until one side ends it. */
export const proxy: Command = {
  help: `Usage: langchain-offload proxy [options] URL
       langchain-offload proxy [options] -- COMMAND [ARGUMENTS]

Stands in front of an MCP server and keeps large tool results out of the
client's context. The server is at URL (streamable HTTP), or is COMMAND.

Options:
  --threshold N        tokens that pass unchanged; default 1600, of text 6400
  --tools LIST         of extract,read,grep,jq; default extract,read
  --code               and code_tool_output: JavaScript over what is stored
  --resources          stored results are resources, beside the server's
  --resource-links     the same, and results link to what is stored of them
  --media              large images and files too, and view_tool_output
  --directory DIR      where results are stored
  --ttl N              for N seconds
  --session NAME       reach what an earlier run under this name stored
  --config FILE        a TOML file with [prompt.offload]
  --token-env NAME     variable with a token; or LANGCHAIN_OFFLOAD_TOKEN
  --header-env H=NAME  sends header H with the value of variable NAME
  --verbose            tells standard error what is stored; -h, --help: this

Exit codes: 0 the client or a signal ended it; 1 the server did; 2 wrong usage.
`,
  options: {
    threshold: { type: "string" },
    tools: { type: "string" },
    code: { type: "boolean" },
    resources: { type: "boolean" },
    "resource-links": { type: "boolean" },
    media: { type: "boolean" },
    directory: { type: "string" },
    ttl: { type: "string" },
    session: { type: "string" },
    config: { type: "string" },
    "token-env": { type: "string" },
    "header-env": { type: "string", multiple: true },
    verbose: { type: "boolean" },
  },
  operands: [],
  takesMore: true,
  async run(given, surroundings) {
    const options = optionsOf(given, surroundings);
    await checkConfig(given, surroundings);
    const directory = given.text("directory");
    if (directory !== undefined) await checkDirectory(directory);
    return await serve(options, surroundings.err);
  },
};

async function serve(options: OffloadProxyOptions, err: Surroundings["err"]): Promise<ExitCode> {
  const running = createOffloadProxy(options);
  const stop = (): void => void running.close();
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  const { by, reason } = await running.closed;
  for (const signal of signals) process.off(signal, stop);
  if (by === "server") say(err, `${reason ?? "The server has ended"}.`);
  const code = by === "server" ? 1 : 0;
  // A client that no longer reads would keep this process for ever.
  if (process.stdout.writableLength > 0) process.exit(code);
  return code;
}

function optionsOf(given: Given, { env, err }: Surroundings): OffloadProxyOptions {
  const threshold = given.number("threshold", 0);
  const ttlSeconds = given.number("ttl", 1);
  const directory = given.text("directory");
  const sessionId = given.text("session");
  return {
    upstream: serverOf(given, env),
    preset: lro({ env, file: given.text("config") }),
    drillIn: { names: toolsOf(given.text("tools")) },
    plugins: [...(given.flag("code") ? [code()] : []), ...(given.flag("media") ? [media()] : [])],
    ...(threshold !== undefined && { threshold: { tokens: threshold } }),
    ...(ttlSeconds !== undefined && { retention: { ttlMs: ttlSeconds * 1000 } }),
    ...(directory !== undefined && { store: fileStore({ directory }) }),
    ...(sessionId !== undefined && { sessionId }),
    ...(given.flag("resources") && { resources: true }),
    ...(given.flag("resource-links") && { resources: { links: true } }),
    ...(given.flag("verbose") && { onEvent: teller(err) }),
    onWarning: (sentence) => say(err, sentence),
  };
}

/** A URL, or a program and what it is called with. */
function serverOf(given: Given, env: Surroundings["env"]): HttpServer | StdioServer {
  const [server, ...more] = given.operands;
  if (server === undefined) {
    throw wrongUsage("A server is missing: a URL, or -- and a command.");
  }
  const isHttp = /^https?:/i.test(server);
  if (!isHttp && given.hasEnd) return { command: server, args: more };
  if (!isHttp || !URL.canParse(server)) {
    const words = ["proxy", "--", server, ...more];
    const command = plainCommandLine(programName({ env }), words);
    const hint = isHttp ? "" : ` If it is a command, write -- before it: ${command}`;
    throw wrongUsage(`${JSON.stringify(server)} is no URL such as https://host/mcp.${hint}`);
  }
  if (more.length > 0) throw wrongUsage("Give a URL or a command after --, not both.");
  return { url: server, headers: headersOf(given, env) };
}

function headersOf(given: Given, env: Surroundings["env"]): Record<string, string> {
  const headers: Record<string, string> = {};
  const tokenVariable = given.text("token-env");
  const token = env[tokenVariable ?? TOKEN_VARIABLE];
  if (tokenVariable !== undefined && !token) {
    throw wrongUsage(`The variable ${tokenVariable} of --token-env is not set.`);
  }
  if (token) headers["Authorization"] = `Bearer ${token}`;
  for (const pair of given.list("header-env")) {
    const [header = "", variable = ""] = pair.split("=");
    const value = env[variable];
    if (!/^[A-Za-z0-9-]+$/.test(header) || variable === "") {
      throw wrongUsage("--header-env takes a header and a variable, such as X-Api-Key=MY_KEY.");
    }
    if (!value) throw wrongUsage(`The variable ${variable} of --header-env is not set.`);
    headers[header] = value;
  }
  return headers;
}

function toolsOf(list: string | undefined): NonNullable<DrillInOptions["names"]> {
  const wanted = (list ?? "extract,read").split(",").filter((key) => key !== "");
  const unknown = wanted.find((key) => !Object.hasOwn(TOOL_NAMES, key));
  if (unknown !== undefined) {
    throw wrongUsage(`--tools knows extract, read, grep and jq, not ${JSON.stringify(unknown)}.`);
  }
  return Object.fromEntries(
    Object.entries(TOOL_NAMES).map(([key, name]) => [key, wanted.includes(key) && name]),
  );
}

/** Tells standard error, which never rejects; nothing waits for it. */
function say(err: Surroundings["err"], sentence: string): void {
  void err.write(`${printableLine(sentence)}\n`);
}

/** Writes events as lines: names, sizes and places, never data. */
function teller(err: Surroundings["err"]): NonNullable<OffloadProxyOptions["onEvent"]> {
  return (event) => {
    if (event.type === "offloaded") {
      const { toolName, tokens, filePath = "" } = event.storedArtifact;
      say(err, `${toolName}: ${tokens} tokens stored, ${event.descriptorTokens} sent. ${filePath}`);
    } else if (event.type === "drilled-in") {
      say(err, `${event.tool}: ${event.answerTokens} tokens sent.`);
    } else if (event.type === "write-failed") {
      const why = event.error instanceof Error ? event.error.message : String(event.error);
      say(err, `${event.toolName}: storing failed, ${event.fallback}. ${why}`);
    }
  };
}
