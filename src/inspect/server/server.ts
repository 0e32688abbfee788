import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";

import { messageOf } from "../../util/error-message.js";
import { type Guard, HttpFault, SAFE_HEADERS } from "./guard.js";
import { answerTo, type RouteParts } from "./routes.js";

const FILES: ReadonlyMap<string, readonly [name: string, type: string]> = new Map([
  ["/", ["index.html", "text/html; charset=utf-8"]],
  ["/icon.svg", ["icon.svg", "image/svg+xml"]],
  ["/page.js", ["page.js", "text/javascript; charset=utf-8"]],
  ["/page.css", ["page.css", "text/css; charset=utf-8"]],
]);
const MAX_CONNECTIONS = 128;
const MAX_REQUEST_MS = 30_000;

/**
 * The caller listens on a port. A request's socket knows it.
 * @param directory - The built files of the page.
 */
export function createPageServer(parts: RouteParts, guard: Guard, directory: string): Server {
  const server = createServer({ requestTimeout: MAX_REQUEST_MS }, (request, response) => {
    void answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = addressOf(request);
    const cookie = guard.check(request, url, request.socket.localPort ?? 0);
    if (cookie !== undefined) {
      // The final address has no token.
      send(response, 303, "text/plain", "", { location: "/", "set-cookie": cookie });
      return;
    }
    const file = FILES.get(url.pathname);
    if (file !== undefined) {
      const [name, type] = file;
      send(response, 200, type, await readFile(join(directory, name)));
      return;
    }
    sendJson(response, 200, await answerTo(url, parts));
  }
}

function addressOf({ url = "" }: IncomingMessage): URL {
  const isPath = url.startsWith("/") && !url.startsWith("//");
  if (isPath && URL.canParse(url, "http://127.0.0.1")) return new URL(url, "http://127.0.0.1");
  throw new HttpFault(400, "This server has no such address.");
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body);
  const own = { "content-type": type, "content-length": length, ...more };
  response.writeHead(status, { ...SAFE_HEADERS, ...own });
  response.end(body);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

/** Shows the error's message, but never its stack. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = error instanceof HttpFault ? error.status : 500;
  // The rest of a request is not read.
  sendJson(response.setHeader("connection", "close"), status, { error: messageOf(error) });
}
