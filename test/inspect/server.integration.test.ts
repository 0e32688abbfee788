import { readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/inspect/server/guard.js";
import type * as wire from "../../src/inspect/wire.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { sampleSession } from "./sample-session.js";
import { asked, cookieOf, inspectors, raw, tokenOf } from "./serve.js";

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
  it("refuses every address without the token, and tokens and cookies that are almost right", async () => {
    const inspector = await serve({ directory: await makeDirectory() });
    for (const path of PATHS) {
      const { status, text, headers } = await raw(inspector, path);
      expect({ path, status }).toEqual({ path, status: 401 });
      expect(text).toContain("with its token");
      expect(headers["set-cookie"]).toBeUndefined();
    }
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
      [403, { origin: "null" }],
      [403, { origin: "http://evil.example" }],
      [403, { origin: "http://127.0.0.1:1" }],
      [403, { "sec-fetch-site": "cross-site" }],
      [403, { "sec-fetch-site": "same-site" }],
      [200, none],
      [405, {}, "PUT"],
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
        const { "x-content-type-options": type, "referrer-policy": referrer } = given;
        const told = [type, referrer, given["cache-control"]];
        expect(told).toEqual(["nosniff", "no-referrer", "no-store"]);
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

describe("questions", () => {
  const ISSUES = Array.from({ length: 500 }, (_, n) => ({
    number: n + 1,
    title: "a stale cache",
    open: n % 2 === 0,
  }));

  /** Names, times and bytes of everything in a directory. */
  const stateOf = (directory: string): readonly unknown[] =>
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => join(directory, name))
      .map((path) => [path, statSync(path).mtimeMs, statSync(path).isFile() && readFileSync(path)]);

  /** A session with an output that was read, one that was not, and one that stayed. */
  async function inspected() {
    const directory = await makeDirectory();
    const session = sampleSession(directory);
    session.call();
    const read = (await session.output("search_issues", ISSUES)) ?? "";
    session.call();
    await session.read("jq", { id: read, filter: ".open", limit: 2 });
    const nodes = ISSUES.map(({ number }) => ({ node: number, cpu: 64 }));
    const unread = (await session.output("list_nodes", nodes)) ?? "";
    await session.output("get_config", { region: "eu" });
    session.call();
    const inspector = await serve({ directory, journal: session.journal.reader });
    await session.close();
    const get = async <Value>(path: string) => await asked<Value>(inspector, `/api/${path}`);
    return { directory, session, read, unread, inspector, get };
  }

  it("says what filled the context and what was never read", async () => {
    const { session, unread, get, read } = await inspected();
    const at = `sessions/${session.sessionKey}`;
    const detail = await get<wire.SessionDetail>(at);
    const { rows } = await get<wire.Rows<wire.OutputRow>>(`${at}/outputs`);
    expect(rows.map(({ id, neverRead, reads }) => [id, neverRead, reads])).toEqual([
      [unread, true, 0],
      [read, false, 1],
    ]);
    expect(detail.neverRead).toBe(1);
    expect(detail.neverReadTokens).toBeGreaterThan(0);
    expect(detail.neverReadTokens).toBeLessThan(rows.reduce((sum, { tokens }) => sum + tokens, 0));
    const last = detail.latestCall;
    expect(last?.contextTokens).toBe(
      Object.values(last?.parts ?? {}).reduce<number>((sum, tokens = 0) => sum + tokens, 0),
    );
  });

  it("T6: lists the sessions of the journal first, and finds each by its thread id", async () => {
    const { directory, session, get } = await inspected();
    const other = sampleSession(directory, "somebody else's");
    await other.output("read_log", ISSUES);
    await other.close();
    const found = async (find: string) => {
      const path = `sessions?find=${encodeURIComponent(find)}`;
      const { rows } = await get<wire.Rows<wire.SessionRow>>(path);
      return rows.map(({ id, name }) => ({ id, name }));
    };
    const own = { id: session.sessionKey };
    const foreign = { id: other.sessionKey };
    await expect.poll(() => found("")).toEqual([own, foreign]);
    expect(await found("sample")).toEqual([{ ...own, name: "sample" }]);
    expect(await found("somebody else's")).toEqual([{ ...foreign, name: "somebody else's" }]);
    expect(await found(session.sessionKey.slice(0, 8))).toEqual([own]);
    expect(await found("sampl")).toEqual([]);
  });

  it("tells a page that it has to ask again when something was stored or journalled", async () => {
    const { directory, session, get } = await inspected();
    const version = async () => (await get<{ version: string }>("about")).version;
    const first = await version();
    expect(await version()).toBe(first);
    session.call();
    const second = await version();
    expect(second).not.toBe(first);
    const other = sampleSession(directory);
    await other.output("search_issues", ISSUES);
    await other.close();
    await expect.poll(version).not.toBe(second);
  });

  it("writes nothing, whatever is asked", async () => {
    const { directory, session, get, read } = await inspected();
    const before = stateOf(directory);
    const [output, own] = [`outputs/${read}`, `sessions/${session.sessionKey}`];
    const ofOutput = [output, `${output}/page?from=3`];
    for (const path of ["about", "sessions", own, `${own}/entries`, ...ofOutput])
      expect(await get(path)).not.toHaveProperty("error");
    expect(stateOf(directory)).toEqual(before);
  });

  it("says when something is not there, and opens no file that is asked for by a path", async () => {
    const { inspector } = await inspected();
    const headers = { cookie: await cookieOf(inspector) };
    for (const path of [
      "/api/outputs/01KDX0ABCDEFGHJKMNPQRSTVWX",
      `/api/sessions/${"0".repeat(64)}`,
      "/../package.json",
      "/%2e%2e/package.json",
      "/page.js/../../index.js",
      "/api/outputs/..%2f..%2fetc%2fpasswd",
    ])
      expect([path, (await raw(inspector, path, { headers })).status]).toEqual([path, 404]);
  });
});
