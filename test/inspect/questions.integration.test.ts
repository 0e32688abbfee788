import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type * as wire from "../../src/inspect/wire.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { sampleSession } from "./sample-session.js";
import { asked, cookieOf, inspectors, raw } from "./serve.js";

const makeDirectory = temporaryDirectories();
const serve = inspectors();
const ISSUES = Array.from({ length: 500 }, (_, n) => ({
  number: n + 1,
  title: "a stale cache",
  open: n % 2 === 0,
}));

/** Names, times and bytes of everything in a directory. */
async function stateOf(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory)).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const { mtimeMs, size } = await stat(join(directory, name));
      const hash = createHash("sha256")
        .update(await readFile(join(directory, name)))
        .digest("hex");
      return `${name} ${mtimeMs} ${size} ${hash}`;
    }),
  );
}

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

describe("what the page asks", () => {
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
    expect(detail.neverReadTokens).toBeLessThan(detail.tokens);
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
      const { rows } = await get<wire.Rows<wire.SessionRow>>(
        `sessions?find=${encodeURIComponent(find)}`,
      );
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
    const before = await stateOf(directory);
    const [output, own] = [`outputs/${read}`, `sessions/${session.sessionKey}`];
    for (const path of [
      "about",
      "sessions",
      own,
      `${own}/entries`,
      output,
      `${output}/page?from=3`,
    ])
      expect(await get(path)).not.toHaveProperty("error");
    expect(await stateOf(directory)).toEqual(before);
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
