import { OffloadError } from "../../errors.js";
import { isRecord } from "../../is-record.js";
import type { HttpServer } from "./http-upstream.js";
import type { StdioServer } from "./stdio-upstream.js";

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for a server that cannot be reached as it is given. */
export function checkServer(server: HttpServer | StdioServer): void {
  const problem = problemOf(server);
  if (problem !== undefined) throw new OffloadError("INVALID_OPTIONS", problem);
}

function problemOf(server: HttpServer | StdioServer): string | undefined {
  if (!isRecord(server)) return "`upstream` is no server: use { url } or { command }.";
  if ("command" in server)
    return server.command === "" ? "`upstream.command` is empty." : undefined;
  if (!URL.canParse(String(server.url)))
    return "`upstream.url` is no address, such as https://host/mcp.";
  const { protocol, username, password, hostname } = new URL(server.url);
  if (protocol !== "http:" && protocol !== "https:") {
    return "`upstream.url` has to begin with https:// or http://.";
  }
  if (username !== "" || password !== "") {
    return "`upstream.url` holds a user or a password; pass them in `upstream.headers`.";
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const hasSecret = Object.keys(server.headers ?? {}).length > 0;
  return protocol === "http:" && hasSecret && !isHere
    ? "`upstream.headers` may hold a secret, which http:// would send in the clear; use https://."
    : undefined;
}
