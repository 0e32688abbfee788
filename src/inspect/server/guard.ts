import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { HttpFault } from "./http-fault.js";

/** Who may ask. */
export interface Guard {
  /** Stands in the address that is printed. */
  readonly token: string;
  /** What a browser gets for the token, and sends from then on. */
  readonly cookie: string;
  /**
   * Lets a request pass. `"enter"`: it brings the token in its address, so that it gets the cookie and an address without.
   *
   * @throws {@link HttpFault} for every other request but those that bring the cookie or the token.
   */
  check(request: IncomingMessage, url: URL, port: number): "enter" | "known";
}

/** Bits of chance of the token and the cookie, as bytes. */
const SECRET_BYTES = 32;

const WITHOUT_TOKEN =
  "This page takes the address that `langchain-offload inspect` printed, with its token. Open that one.";

/** Makes the guard of one server, with secrets of its own. */
export function createGuard(token: string = newSecret(), secret: string = newSecret()): Guard {
  return {
    token,
    cookie: secret,
    check(request, url, port) {
      // As browsers write it: port 80 does not stand in it.
      const { host, origin } = new URL(`http://127.0.0.1:${port}`);
      checkHost(request, host);
      checkMethod(request);
      checkOrigin(request, origin);
      const given = url.searchParams.get("token");
      if (request.method === "GET" && url.pathname === "/" && given !== null) {
        if (isSecret(given, token)) return "enter";
        throw new HttpFault(401, WITHOUT_TOKEN);
      }
      const { authorization = "", cookie = "" } = request.headers;
      const isKnown =
        isSecret(authorization.replace(/^Bearer /, ""), token) ||
        isSecret(cookieIn(cookie, cookieName(port)) ?? "", secret);
      if (!isKnown) throw new HttpFault(401, WITHOUT_TOKEN);
      return "known";
    },
  };
}

/** Cookies know no ports, so the name has it. */
function cookieName(port: number): string {
  return `langchain-offload-inspect-${port}`;
}

/** The header that gives a browser its cookie. */
export function cookieHeader({ cookie }: Guard, port: number): string {
  return `${cookieName(port)}=${cookie}; Path=/; HttpOnly; SameSite=Strict`;
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** A name that somebody else has pointed at this machine comes with its own `Host`. */
function checkHost({ headers }: IncomingMessage, host: string): void {
  if (headers.host === host) return;
  throw new HttpFault(421, `This server answers at http://${host} and nowhere else.`);
}

function checkMethod({ method }: IncomingMessage): void {
  if (method === "GET" || method === "POST") return;
  throw new HttpFault(405, "This server takes GET and POST.");
}

/** Another page of the same browser, also one at another port, says so. */
function checkOrigin({ headers, method }: IncomingMessage, origin: string): void {
  const site = headers["sec-fetch-site"];
  const isForeign =
    (headers.origin !== undefined && headers.origin !== origin) ||
    (site !== undefined && site !== "same-origin" && (site !== "none" || method !== "GET"));
  if (isForeign) throw new HttpFault(403, "Another page may not ask this server.");
}

function cookieIn(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** In a time that says nothing of either. */
function isSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(secret));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
