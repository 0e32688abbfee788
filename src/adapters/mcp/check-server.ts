import { OffloadError } from "../../core/types/errors.js";
import { isRecord } from "../../util/is-record.js";
import type { HttpServer } from "./transport/http-upstream.js";
import type { StdioServer } from "./transport/stdio-upstream.js";

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for a server that cannot be reached as it is given. */
export function checkServer(server: HttpServer | StdioServer): void {
  const isServer: boolean = isRecord(server);
  const problem = isServer
    ? problemOf(server)
    : "`upstream` is no server: use { url } or { command }.";
  if (problem !== undefined) throw new OffloadError("INVALID_OPTIONS", problem);
}

function problemOf(server: HttpServer | StdioServer): string | undefined {
  if ("command" in server) return problemOfProgram(server);
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

/** No operating system takes a NUL; what holds it may be a secret, so only its place is told. */
function problemOfProgram({ command, args = [], env = {}, cwd }: StdioServer): string | undefined {
  if (command === "") return "`upstream.command` is empty.";
  if (!Array.isArray(args)) return "`upstream.args` has to be a list of texts.";
  const places: readonly (readonly [string, readonly unknown[]])[] = [
    ["command", [command]],
    ["args", args],
    ["env", Object.entries(env ?? {}).flat()],
    ["cwd", [cwd]],
  ];
  const found = places.find(([, texts]) => texts.some((text) => String(text).includes("\0")));
  return found && `\`upstream.${found[0]}\` holds a NUL character, which no program can be given.`;
}
