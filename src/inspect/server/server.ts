import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { OffloadError } from "../../core/types/errors.js";
import { send, sendJson } from "./answer.js";
import type { Asset } from "./assets.js";
import { cookieHeader, type Guard } from "./guard.js";
import { HttpFault } from "./http-fault.js";
import type { Live } from "./live.js";
import { type RouteParts, ROUTES } from "./routes.js";

/** What a server is made of. */
export interface ServerParts extends RouteParts {
  readonly guard: Guard;
  readonly live: Live;
  readonly asset: (path: string) => Promise<Asset | undefined>;
}

const MAX_CONNECTIONS = 128;
const MAX_REQUEST_MS = 30_000;

/** A server for the page. Whoever listens gives it the port, by which it knows its own name. */
export function createPageServer(parts: ServerParts): Server {
  const server = createServer({ requestTimeout: MAX_REQUEST_MS }, (request, response) => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    void answer(request, response, port, parts).catch((error: unknown) => refuse(response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  parts: ServerParts,
): Promise<void> {
  const url = addressOf(request);
  if (parts.guard.check(request, url, port) === "enter") {
    // The address that stays has no token.
    const cookie = cookieHeader(parts.guard, port);
    send(response, 303, "text/plain", "", { location: "/", "set-cookie": cookie });
    return;
  }
  const { pathname } = url;
  if (request.method === "GET" && pathname === "/api/live") {
    parts.live.join(response);
    return;
  }
  const asset = request.method === "GET" ? await parts.asset(pathname) : undefined;
  if (asset !== undefined) {
    send(response, 200, asset.type, asset.bytes);
    return;
  }
  for (const { method, path, answer } of ROUTES) {
    const found = path.exec(pathname);
    if (found === null || method !== request.method) continue;
    sendJson(response, await answer({ at: found[1] ?? "", url, request, response }, parts));
    return;
  }
  throw new HttpFault(404, "There is nothing at this address.");
}

function addressOf({ url = "" }: IncomingMessage): URL {
  const isPath = url.startsWith("/") && !url.startsWith("//");
  if (isPath && URL.canParse(url, "http://127.0.0.1")) return new URL(url, "http://127.0.0.1");
  throw new HttpFault(400, "This is no address of this server.");
}

/** A fault of ours is told by its sentence, never by where it stands in the code. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = error instanceof HttpFault ? error.status : statusOf(error);
  const message = error instanceof Error ? error.message : "Something failed.";
  // What is left of a body is not read.
  sendJson(response.setHeader("connection", "close"), { error: message }, status);
}

function statusOf(error: unknown): number {
  const isGone =
    OffloadError.isInstance(error) &&
    ["ARTIFACT_NOT_FOUND", "ARTIFACT_EXPIRED"].includes(error.code);
  return isGone ? 404 : 500;
}
