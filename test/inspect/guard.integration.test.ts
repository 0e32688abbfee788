import type { IncomingMessage } from "node:http";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGuard } from "../../src/inspect/server/guard.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { cookieOf, inspectors, raw, tokenOf } from "./serve.js";

const makeDirectory = temporaryDirectories();
const serve = inspectors();
const PAGE = ["/", "/page.js", "/page.css", "/icon.svg"];
const PATHS = [...PAGE, "/api/about", "/api/sessions", "/nothing"];

/** A server over an empty directory, and a way to ask it with its token. */
async function guarded() {
  const inspector = await serve({ directory: await makeDirectory() });
  const cookie = await cookieOf(inspector);
  const asked = (path: string, { headers = {}, ...more }: Parameters<typeof raw>[2] = {}) =>
    raw(inspector, path, { headers: { cookie, ...headers }, ...more });
  return { inspector, asked };
}

describe("the guard of the page", () => {
  it("refuses every address without the token", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    for (const path of PATHS) {
      const { status, text, headers } = await raw(inspector, path);
      expect({ path, status }).toEqual({ path, status: 401 });
      expect(text).toContain("with its token");
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("refuses tokens and cookies that are almost right", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    const { origin } = inspector;
    const token = tokenOf(inspector);
    const name = `langchain-offload-inspect-${new URL(origin).port}`;
    for (const wrong of ["", token.slice(1), `${token}A`, token.toLowerCase(), `${token} `]) {
      const shown = encodeURIComponent(wrong);
      expect((await raw(inspector, `/?token=${shown}`)).status).toBe(401);
      const headers = { cookie: `${name}=${wrong}` };
      expect((await raw(inspector, "/api/about", { headers })).status).toBe(401);
    }
    // The token is no cookie, and a token in another address than the first one is none.
    const swapped = { headers: { cookie: `${name}=${token}` } };
    expect((await raw(inspector, "/api/about", swapped)).status).toBe(401);
    expect((await raw(inspector, `/api/about?token=${token}`)).status).toBe(401);
  });

  it("gives a cookie for the token, and an address without it", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    const { pathname, search } = new URL(inspector.address);
    const { status, headers, text } = await raw(inspector, pathname + search);
    expect([status, headers["location"], text]).toEqual([303, "/", ""]);
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(tokenOf(inspector));
    const [pair = ""] = cookie.split(";");
    const page = await raw(inspector, "/", { headers: { cookie: `other=1; ${pair}` } });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(tokenOf(inspector));
    expect((await raw(inspector, "/api/about", { headers: { cookie: pair } })).status).toBe(200);
  });

  it("refuses another Host, Origin, site and method, with the token too", async () => {
    const { inspector, asked } = await guarded();
    const { port } = new URL(inspector.origin);
    const none = { "sec-fetch-site": "none" };
    const cases: readonly (readonly [number, Record<string, string>, method?: string])[] = [
      [200, {}],
      [421, { host: `localhost:${port}` }],
      [421, { host: `evil.example:${port}` }],
      [421, { host: `127.0.0.1:${port}.evil.example` }],
      [403, { origin: "null" }],
      [403, { origin: "http://evil.example" }],
      [403, { origin: `http://localhost:${port}` }],
      [403, { origin: "http://127.0.0.1:1" }],
      [403, { "sec-fetch-site": "cross-site" }],
      [403, { "sec-fetch-site": "same-site" }],
      [200, none],
      [405, {}, "PUT"],
      [405, {}, "DELETE"],
      [405, {}, "PATCH"],
      [405, {}, "OPTIONS"],
      [405, {}, "POST"],
    ];
    for (const [status, headers, method = "GET"] of cases) {
      const answer = await asked("/api/about", { method, headers });
      expect({ headers, method, status: answer.status }).toEqual({ headers, method, status });
    }
  });

  it("knows its name at port 80 too, where browsers leave the port out", () => {
    const guard = createGuard();
    const url = new URL(`http://127.0.0.1/?token=${guard.token}`);
    const check = (headers: object) => () =>
      guard.check({ method: "GET", headers } as IncomingMessage, url, 80);
    expect(check({ host: "127.0.0.1", origin: "http://127.0.0.1" })()).toContain("HttpOnly");
    expect(check({ host: "127.0.0.1:80" })).toThrow(/http:\/\/127\.0\.0\.1 and nowhere else/);
  });

  it("sends every answer with what keeps a browser from running or guessing anything", async () => {
    const { inspector, asked } = await guarded();
    for (const path of PATHS) {
      for (const { headers: given } of [await raw(inspector, path), await asked(path)]) {
        const policy = String(given["content-security-policy"]);
        expect(policy).toContain(
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
        );
        expect(policy).not.toContain("unsafe");
        expect(given).toMatchObject({
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
        });
      }
    }
  });

  it("answers any address with a status of its own, and goes on", async () => {
    const { asked } = await guarded();
    const words =
      "api outputs sessions constructor .. %2e%2e page.js none page?at=x page?from=<script>";
    const ids = ["01KDX0ABCDEFGHJKMNPQRSTVWX", "a".repeat(64), ""];
    const part = fc.constantFrom(...words.split(" "), ...ids);
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const { status, text } = await asked(`/${parts.join("/")}`);
        expect([200, 400, 404]).toContain(status);
        if (status !== 200) expect(JSON.parse(text)).toHaveProperty("error");
        expect(text).not.toContain("node_modules");
      }),
      { numRuns: 100 },
    );
    expect((await asked("/api/constructor")).status).toBe(404);
  });
});
