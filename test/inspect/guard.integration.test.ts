import type { IncomingMessage } from "node:http";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGuard } from "../../src/inspect/server/guard.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { inspectors, raw } from "./serve.js";

const makeDirectory = temporaryDirectories();
const serve = inspectors();
const PATHS = [
  "/",
  "/page.js",
  "/page.css",
  "/icon.svg",
  "/api/about",
  "/api/sessions",
  "/nothing",
];

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
    const { token, origin } = inspector;
    const name = `langchain-offload-inspect-${new URL(origin).port}`;
    for (const wrong of ["", token.slice(1), `${token}A`, token.toLowerCase(), `${token} `]) {
      const shown = encodeURIComponent(wrong);
      expect((await raw(inspector, `/?token=${shown}`)).status).toBe(401);
      for (const headers of [{ authorization: `Bearer ${wrong}x` }, { cookie: `${name}=${wrong}` }])
        expect((await raw(inspector, "/api/about", { headers })).status).toBe(401);
    }
    // The token is no cookie, and a token in another address than the first one is none.
    expect(
      (await raw(inspector, "/api/about", { headers: { cookie: `${name}=${token}` } })).status,
    ).toBe(401);
    expect((await raw(inspector, `/api/about?token=${token}`)).status).toBe(401);
  });

  it("gives a cookie for the token, and an address without it", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    const { pathname, search } = new URL(inspector.address);
    const { status, headers, text } = await raw(inspector, pathname + search);
    expect({ status, location: headers["location"], text }).toEqual({
      status: 303,
      location: "/",
      text: "",
    });
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(inspector.token);
    const [pair = ""] = cookie.split(";");
    const page = await raw(inspector, "/", { headers: { cookie: `other=1; ${pair}` } });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(inspector.token);
    expect((await raw(inspector, "/api/about", { headers: { cookie: pair } })).status).toBe(200);
  });

  it("refuses another Host, Origin, site and method, with the token too", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    const authorization = `Bearer ${inspector.token}`;
    const { port } = new URL(inspector.origin);
    const status = async (headers: Record<string, string>, method = "GET") =>
      (await raw(inspector, "/api/about", { method, headers: { authorization, ...headers } }))
        .status;
    expect(await status({})).toBe(200);
    for (const host of [
      `localhost:${port}`,
      `evil.example:${port}`,
      `127.0.0.1:${port}.evil.example`,
    ])
      expect({ host, status: await status({ host }) }).toEqual({ host, status: 421 });
    for (const origin of [
      "null",
      "http://evil.example",
      `http://localhost:${port}`,
      "http://127.0.0.1:1",
    ])
      expect({ origin, status: await status({ origin }) }).toEqual({ origin, status: 403 });
    for (const site of ["cross-site", "same-site"])
      expect(await status({ "sec-fetch-site": site })).toBe(403);
    expect(await status({ "sec-fetch-site": "none" })).toBe(200);
    expect(await status({ "sec-fetch-site": "none" }, "POST")).toBe(403);
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"])
      expect({ method, status: await status({}, method) }).toEqual({ method, status: 405 });
    expect(await status({}, "POST")).toBe(404);
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
    const inspector = await serve({ directory: await makeDirectory() });
    const authorization = `Bearer ${inspector.token}`;
    for (const path of PATHS) {
      for (const headers of [{}, { authorization }]) {
        const { headers: given } = await raw(inspector, path, { headers });
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

  it(
    "answers any address and any body with a status of its own, and goes on",
    { timeout: 60_000 },
    async () => {
      const inspector = await serve({ directory: await makeDirectory() });
      const authorization = `Bearer ${inspector.token}`;
      const part = fc.constantFrom(
        "api",
        "outputs",
        "sessions",
        "..",
        "%2e%2e",
        "page.js",
        "none",
        "01KDX0ABCDEFGHJKMNPQRSTVWX",
        "a".repeat(64),
        "page?at=x",
        "page?from=<script>",
        "ask",
        "",
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(part, { maxLength: 6 }),
          fc.constantFrom("GET", "POST"),
          fc.string({ maxLength: 200 }),
          async (parts, method, body) => {
            const headers = { authorization, "content-type": "application/json" };
            const { status, text } = await raw(inspector, `/${parts.join("/")}`, {
              method,
              headers,
              ...(method === "POST" && { body }),
            });
            expect([200, 400, 404, 415]).toContain(status);
            if (status !== 200) expect(JSON.parse(text)).toHaveProperty("error");
            expect(text).not.toContain("node_modules");
          },
        ),
        { numRuns: 100 },
      );
      const long = await raw(inspector, "/api/outputs/01KDX0ABCDEFGHJKMNPQRSTVWX/ask", {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ a: "x".repeat(300_000) }),
      });
      expect(long.status).toBe(413);
    },
  );
});
