import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { isRecord } from "../../src/util/is-record.js";
import type { Exchange, PlayerEvent } from "./exchange.js";
import { lastAnswers, messageViews } from "./message-view.js";
import type { Action } from "./seat-model.js";

/** Which task it is. */
export interface TaskPlace {
  readonly id: string;
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

/** The seat as a small server on this machine. */
export interface HttpPlayer {
  /** Where the player asks; nobody else knows it. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Serves one player: GET gives the task with tools and messages; POST `{tool, args}` gives the answer of the tool, POST
 * `{answer}` ends the task and gives the next one.
 */
export async function serveHttpPlayer(
  exchange: Exchange,
  placeOf: () => TaskPlace,
): Promise<HttpPlayer> {
  const path = `/${randomBytes(16).toString("hex")}`;
  const server = createServer((request, response) => {
    void respond(request, path, { exchange, placeOf }).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => send(response, 500, { problem: String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

interface Served {
  readonly exchange: Exchange;
  readonly placeOf: () => TaskPlace;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

async function respond(
  request: IncomingMessage,
  path: string,
  { exchange, placeOf }: Served,
): Promise<Reply> {
  if (request.url !== path) return { status: 404, body: { problem: "There is nothing here." } };
  if (request.method === "GET") {
    const event = await exchange.next();
    return { status: 200, body: viewOf(event, placeOf()) };
  }
  if (request.method !== "POST") return problem("GET or POST.", 405);
  const event = await exchange.next();
  if (event === "over") return { status: 200, body: viewOf(event, placeOf()) };
  const { action, fault } = actionIn(await bodyOf(request), event.tools);
  if (action === undefined) return problem(fault);
  const before = placeOf();
  const acting = exchange.act(action);
  if (acting === undefined) return problem("An earlier request is still going on.", 409);
  const after = await acting;
  const place = placeOf();
  if (after !== "over" && place.id === before.id) {
    return { status: 200, body: { answers: lastAnswers(after.messages) } };
  }
  const ended = "answer" in action ? "recorded" : "over the limit of this task";
  return { status: 200, body: { ended, next: viewOf(after, place) } };
}

function viewOf(event: PlayerEvent, task: TaskPlace): object {
  if (event === "over") return { over: true };
  return {
    task,
    tools: event.tools,
    messages: messageViews(event.messages),
    how: 'POST {"tool": "...", "args": {...}} or {"answer": ...} here.',
  };
}

function actionIn(
  body: string | undefined,
  tools: readonly { readonly name: string }[],
): { readonly action?: Action; readonly fault: string } {
  if (body === undefined) return { fault: `A request has at most ${MAX_BODY_BYTES} bytes.` };
  const given = parsed(body);
  if (!isRecord(given)) return { fault: 'Send {"tool": "...", "args": {...}} or {"answer": ...}.' };
  if (Object.hasOwn(given, "answer")) return { action: { answer: given["answer"] }, fault: "" };
  const { tool, args = {} } = given;
  const names = tools.map(({ name }) => name);
  if (typeof tool !== "string" || !names.includes(tool)) {
    return { fault: `There is no tool ${JSON.stringify(tool)}. Tools: ${names.join(", ")}.` };
  }
  return isRecord(args) ? { action: { tool, args }, fault: "" } : { fault: "args is an object." };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function problem(sentence: string, status = 400): Reply {
  return { status, body: { problem: sentence } };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(`${JSON.stringify(body, undefined, 1)}\n`);
}
