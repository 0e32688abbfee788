import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import { createOffloadProxy, type OffloadProxy } from "../../../src/adapters/mcp/index.js";
import type { OffloadProxyOptions } from "../../../src/adapters/mcp/proxy.js";
import { memoryStore } from "../../../src/core/store/memory.js";

/** What is known of a message. */
export interface Rpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The texts of a tool result. */
export function textsOf({ result }: Rpc): string[] {
  const content = (result?.["content"] ?? []) as { text?: string }[];
  return content.flatMap(({ text }) => text ?? []);
}

/** A client that reads and writes nothing but lines, so that every byte is seen. */
export interface RawClient {
  /** The line that answers; rejects when the connection ends first. */
  request(method: string, params?: object, id?: string | number): Promise<string>;
  notify(method: string, params?: object): void;
  writeLine(line: string): void;
  /** Every line that came, in order. */
  readonly lines: readonly string[];
  /** Results of the requests that servers make. */
  readonly answers: Record<string, unknown>;
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  "roots/list": { roots: [] },
  "sampling/createMessage": {
    role: "assistant",
    model: "m",
    content: { type: "text", text: "four" },
    "x-vendor": [1],
  },
  "elicitation/create": { action: "decline" },
};

/** A client over a pair of streams. */
export function rawClient(
  read: Readable,
  write: (message: string) => void,
  end: () => Promise<void>,
): RawClient {
  const lines: string[] = [];
  const answers = { ...ANSWERS };
  const waiting = new Map<
    string,
    { resolve: (line: string) => void; reject: (e: Error) => void }
  >();
  let rest = "";
  let nextId = 100;
  read.setEncoding("utf8");
  read.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) take(line);
  });
  const ended = new Promise<void>((resolve) => {
    read.once("close", resolve);
    read.once("end", resolve);
  });
  const leaveWaiting = async (): Promise<void> => {
    await ended;
    for (const { reject } of waiting.values()) reject(new Error("The connection has ended."));
  };
  void leaveWaiting();

  function take(line: string): void {
    lines.push(line);
    const message = JSON.parse(line) as Rpc;
    if (message.method !== undefined && message.id !== undefined) {
      const result = answers[message.method];
      write(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else if (message.id !== undefined) waiting.get(JSON.stringify(message.id))?.resolve(line);
  }

  return {
    lines,
    answers,
    ended,
    request(method, params = {}, id = (nextId += 1)) {
      return new Promise((resolve, reject) => {
        waiting.set(JSON.stringify(id), { resolve, reject });
        write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      });
    },
    notify: (method, params = {}) => write(JSON.stringify({ jsonrpc: "2.0", method, params })),
    writeLine: (line) => write(line),
    close: end,
  };
}

const SERVERS = "../../../node_modules/@modelcontextprotocol";
const pathOf = (name: string): string =>
  fileURLToPath(new URL(`${SERVERS}/${name}/dist/index.js`, import.meta.url));
export const EVERYTHING: string = pathOf("server-everything");
export const FILESYSTEM: string = pathOf("server-filesystem");

/** The server itself. */
export function directStdio(args: readonly string[]): RawClient {
  const child = spawn(process.execPath, [...args], { stdio: ["pipe", "pipe", "ignore"] });
  return rawClient(
    child.stdout,
    (line) => child.stdin.write(`${line}\n`),
    async () => {
      child.stdin.end();
      child.kill();
      await once(child, "exit");
    },
  );
}

/** A proxy in this process, and a client in front of it. */
export interface Proxied {
  readonly client: RawClient;
  readonly proxy: OffloadProxy;
  readonly warnings: string[];
  readonly input: Writable;
}

/** Puts a proxy in front of a server. */
export function proxied(options: OffloadProxyOptions): Proxied {
  const input = new PassThrough();
  const output = new PassThrough();
  const warnings: string[] = [];
  const proxy = createOffloadProxy({
    store: memoryStore(),
    onWarning: (sentence) => warnings.push(sentence),
    ...options,
    input,
    output,
  });
  void proxy.closed.then(() => output.end());
  const client = rawClient(
    output,
    (line) => input.write(`${line}\n`),
    async () => {
      input.end();
      await proxy.closed;
    },
  );
  return { client, proxy, warnings, input };
}

/** Calls a tool. */
export async function callTool(
  client: RawClient,
  name: string,
  args: object = {},
  id?: string,
): Promise<Rpc> {
  return JSON.parse(await client.request("tools/call", { name, arguments: args }, id)) as Rpc;
}

const here = (name: string): string => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
/** The program of a server that writes what it is told to, and of one whose tools go wrong. */
export const SCRIPTED: string = here("scripted-server");
export const FAULTY: string = here("faulty-server");

/** A proxy in front of a program for Node, after the handshake. */
export async function startProxied(
  program: string,
  options: Partial<OffloadProxyOptions> = {},
): Promise<
  Proxied & { readonly call: (name: string, args?: object, id?: string) => Promise<Rpc> }
> {
  const place = proxied({ upstream: { command: process.execPath, args: [program] }, ...options });
  await shakeHands(place.client);
  return { ...place, call: (...args) => callTool(place.client, ...args) };
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
  clientInfo: { name: "raw", version: "1.0.0" },
};

/** The handshake; gives the answer to `initialize`. */
export async function shakeHands(client: RawClient): Promise<string> {
  const answer = await client.request("initialize", INITIALIZE, "start");
  client.notify("notifications/initialized");
  return answer;
}

/** Posts each message by `fetch`, and keeps what answers it as the server spelled it. */
export function directHttp(url: string): RawClient {
  const received = new PassThrough();
  let session: Record<string, string> = {};
  const post = async (body: string): Promise<void> => {
    const accept = "application/json, text/event-stream";
    const headers = { accept, "content-type": "application/json", ...session };
    const response = await fetch(url, { method: "POST", body, headers });
    const id = response.headers.get("mcp-session-id");
    if (id !== null) session = { "mcp-session-id": id };
    for (const [, data] of (await response.text()).matchAll(/^data: ?(\S.*)$/gm))
      received.write(`${data}\n`);
  };
  return rawClient(
    received,
    (line) => void post(line).catch(() => undefined),
    async () => void received.end(),
  );
}
