import { createOffloadProxy, type OffloadProxyOptions } from "../adapters/mcp/proxy.js";
import type { DrillInOptions } from "../core/options/options.js";
import { fileStore } from "../core/store/file/index.js";
import { code } from "../plugins/code/code.js";
import { media } from "../plugins/media/media.js";
import { lro } from "../presets/lro/lro.js";
import { readSection } from "../presets/lro/settings.js";
import { messageOf } from "../util/error-message.js";
import { atSignals, type Call, type ExitCode, wrongUsage } from "./call.js";
import { isDirectory } from "./find-output.js";
import { printableLine } from "./print.js";

const TOKEN_VARIABLE = "LANGCHAIN_OFFLOAD_TOKEN";
const TOOL_NAMES = {
  extract: "lro_extract",
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
} as const;

export async function proxy(call: Call): Promise<ExitCode> {
  const { directory, config } = call.texts;
  checkConfig(config);
  const options = optionsOf(call);
  if (directory !== undefined) await isDirectory(directory);
  const running = createOffloadProxy(options);
  const ignoreSignals = atSignals(() => void running.close());
  const { by, reason } = await running.closed;
  ignoreSignals();
  if (by === "server") say(call, `${reason ?? "The server has ended"}.`);
  const code = by === "server" ? 1 : 0;
  // A client that no longer reads would keep this process alive.
  if (process.stdout.writableLength > 0) process.exit(code);
  return code;
}

function checkConfig(config: string | undefined): void {
  try {
    if (config !== undefined) readSection(config);
  } catch (error) {
    throw wrongUsage(`${messageOf(error)}.`);
  }
}

function optionsOf(call: Call): OffloadProxyOptions {
  const { env, flags } = call;
  const { threshold: tokens, ttl: ttlSeconds } = call.numbers;
  const { directory, session, config, tools } = call.texts;
  return {
    upstream: serverOf(call),
    preset: lro({ env, file: config }),
    drillIn: { names: toolsOf(tools) },
    plugins: [...(flags["code"] ? [code()] : []), ...(flags["media"] ? [media()] : [])],
    ...(tokens !== undefined && { threshold: { tokens } }),
    ...(ttlSeconds !== undefined && { retention: { ttlMs: ttlSeconds * 1000 } }),
    ...(directory && { store: fileStore({ directory }) }),
    ...(session && { sessionId: session }),
    onWarning: (sentence) => say(call, sentence),
  };
}

function serverOf(call: Call): OffloadProxyOptions["upstream"] {
  const [server = "", ...more] = call.operands;
  if (/^https?:/i.test(server)) {
    if (more.length > 0) throw wrongUsage("Give a URL or a command after --, not both.");
    return { url: server, headers: headersOf(call) };
  }
  if (call.lists["header-env"] !== undefined)
    throw wrongUsage("--header-env is for a URL; a command has the environment.");
  return { command: server, args: more };
}

function headersOf(call: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  const token = call.env[TOKEN_VARIABLE];
  if (token) headers["Authorization"] = `Bearer ${token}`;
  for (const pair of call.lists["header-env"] ?? []) {
    const [, header, variable] = /^([^=]+)=([^=]+)$/.exec(pair) ?? [];
    if (header === undefined || variable === undefined)
      throw wrongUsage("--header-env takes a header and a variable, such as X-Api-Key=MY_KEY.");
    const value = call.env[variable];
    if (!value) throw wrongUsage(`The variable ${variable} is not set.`);
    headers[header] = value;
  }
  return headers;
}

function toolsOf(list: string = "extract,read"): NonNullable<DrillInOptions["names"]> {
  const wanted = list.split(",");
  const unknown = wanted.find((key) => !Object.hasOwn(TOOL_NAMES, key));
  if (unknown !== undefined)
    throw wrongUsage(`--tools knows extract, read, grep and jq, not ${JSON.stringify(unknown)}.`);
  return Object.fromEntries(
    Object.entries(TOOL_NAMES).map(([key, name]) => [key, wanted.includes(key) && name]),
  );
}

function say({ err }: Call, sentence: string): void {
  void err.write(`${printableLine(sentence)}\n`);
}
