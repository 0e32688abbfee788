import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export class HttpFault extends Error {
  readonly status: number;

  constructor(status: 400 | 401 | 403 | 404 | 405 | 421, message: string) {
    super(message);
    this.name = "HttpFault";
    this.status = status;
  }
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export interface Guard {
  readonly token: string;
  /**
   * Throws an {@link HttpFault} unless a request has the token or the cookie.
   * @returns The header that sets the cookie, for the address with the token; `undefined` for every other request.
   */
  check(request: IncomingMessage, url: URL, port: number): string | undefined;
}

const SECRET_BYTES = 32;

const WITHOUT_TOKEN = "Open the address that `langchain-offload inspect` printed, with its token.";

export function createGuard(): Guard {
  const token = newSecret();
  const secret = newSecret();
  return {
    token,
    check(request, url, port) {
      // Browsers omit port 80.
      const { host, origin } = new URL(`http://127.0.0.1:${port}`);
      // Cookies ignore ports, so the name contains the port.
      const name = `langchain-offload-inspect-${port}`;
      checkSource(request, host, origin);
      const shown = url.searchParams.get("token");
      if (url.pathname === "/" && shown !== null) {
        if (!isSecret(shown, token)) throw new HttpFault(401, WITHOUT_TOKEN);
        return `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
      }
      const cookies = (request.headers.cookie ?? "").split("; ");
      if (!cookies.some((cookie) => isSecret(cookie, `${name}=${secret}`)))
        throw new HttpFault(401, WITHOUT_TOKEN);
      return undefined;
    },
  };
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function checkSource({ headers, method }: IncomingMessage, host: string, origin: string): void {
  // Blocks DNS rebinding: a foreign name that points at this machine has its own `Host`.
  if (headers.host !== host) {
    throw new HttpFault(421, `This server answers at http://${host} and nowhere else.`);
  }
  if (method !== "GET") throw new HttpFault(405, "This server takes GET alone.");
  // Requests from other pages, even at another port, have these headers.
  const site = headers["sec-fetch-site"];
  const isForeign =
    (headers.origin !== undefined && headers.origin !== origin) ||
    (site !== undefined && site !== "same-origin" && site !== "none");
  if (isForeign) throw new HttpFault(403, "Another page may not ask this server.");
}

function isSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(secret));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
