import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type {
  AskAnswer,
  OutputRow,
  Rows,
  SessionDetail,
  SessionRow,
} from "../../src/inspect/wire.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { sampleSession } from "./sample-session.js";
import { asked, inspectors, raw } from "./serve.js";

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
async function inspected(withJournal = true) {
  const directory = await makeDirectory();
  const session = sampleSession(directory);
  session.call();
  const read = (await session.output("search_issues", ISSUES)) ?? "";
  session.call();
  await session.read("jq", { id: read, filter: ".open", limit: 2 });
  const unread =
    (await session.output(
      "list_nodes",
      ISSUES.map(({ number }) => ({ node: number, cpu: 64 })),
    )) ?? "";
  await session.output("get_config", { region: "eu" });
  session.call();
  const journal = session.journal.reader;
  const inspector = await serve({ directory, ...(withJournal && { journal }) });
  await session.close();
  return { directory, session, read, unread, inspector };
}

describe("what the page asks", () => {
  it("says what filled the context and what was never read", async () => {
    const { session, unread, inspector, read } = await inspected();
    const detail = await asked<SessionDetail>(inspector, `/api/sessions/${session.sessionKey}`);
    expect(detail.journal?.neverRead).toEqual([unread]);
    const outputs = async (query: string) =>
      (
        await asked<Rows<OutputRow>>(
          inspector,
          `/api/sessions/${session.sessionKey}/outputs${query}`,
        )
      ).rows.map(({ id, reads }) => [id, reads?.calls]);
    expect(await outputs("")).toEqual([
      [unread, 0],
      [read, 1],
    ]);
    expect(await outputs("?find=never%20read")).toEqual([[unread, 0]]);
    expect(detail.neverRead).toBe(1);
    expect(detail.neverReadTokens).toBeGreaterThan(0);
    expect(detail.neverReadTokens).toBeLessThan(detail.tokens);
    const last = detail.usage.at(-1);
    expect(last?.contextTokens).toBe(
      Object.values(last?.parts ?? {}).reduce<number>((sum, tokens = 0) => sum + tokens, 0),
    );
    expect(detail.usage).toHaveLength(3);
  });

  it("lists the journal's own sessions first, and finds each by its thread id", async () => {
    const { directory, session, inspector } = await inspected();
    const other = sampleSession(directory, "somebody else's");
    await other.output("read_log", ISSUES);
    await other.close();
    const found = async (find: string) =>
      (
        await asked<Rows<SessionRow>>(inspector, `/api/sessions?find=${encodeURIComponent(find)}`)
      ).rows.map(({ id, name, inJournal }) => ({ id, name, inJournal }));
    const own = { id: session.sessionKey, inJournal: true };
    const foreign = { id: other.sessionKey, inJournal: false };
    await expect.poll(() => found("")).toEqual([own, foreign]);
    expect(await found("sample")).toEqual([{ ...own, name: "sample" }]);
    expect(await found("somebody else's")).toEqual([{ ...foreign, name: "somebody else's" }]);
    expect(await found("read_log")).toEqual([foreign]);
    expect(await found(session.sessionKey.slice(0, 8))).toEqual([own]);
    expect(await found("sampl")).toEqual([]);
  });

  it("tells a page that it has to ask again when something was stored or journalled", async () => {
    const { directory, session, inspector } = await inspected();
    const version = async () => (await asked<{ version: string }>(inspector, "/api/about")).version;
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

  it("gives the very answer that a model gets", async () => {
    const { session, inspector, read } = await inspected();
    for (const [tool, args] of [
      ["jq", { filter: "map(.number) | add", slurp: true }],
      ["jq", { filter: ".nope(" }],
      ["grep", { pattern: '"number":4' }],
      ["read", { start_line: 2, end_line: 4 }],
    ] as const) {
      const answer = await asked<AskAnswer>(inspector, `/api/outputs/${read}/ask`, { tool, args });
      const model = await session.offloader.drillIn.run(
        tool,
        { id: read, ...args },
        { sessionKey: session.sessionKey },
      );
      expect([answer.text, answer.failed, answer.answerTokens]).toEqual([
        model.text,
        model.failed,
        model.tokens,
      ]);
      expect(answer.callTokens).toBeGreaterThan(10);
    }
    await session.close();
  });

  it("writes nothing, whatever is asked", async () => {
    const { directory, session, inspector, read } = await inspected();
    const before = await stateOf(directory);
    const output = `/api/outputs/${read}`;
    for (const path of [
      "/api/about",
      "/api/sessions",
      `/api/sessions/${session.sessionKey}`,
      `/api/sessions/${session.sessionKey}/entries`,
      output,
      `${output}/page?from=3`,
    ])
      expect(await asked(inspector, path)).not.toHaveProperty("error");
    for (const call of [
      { tool: "jq", args: { filter: "." } },
      { tool: "sql", args: { query: "COPY output TO 'here.csv'" } },
      { tool: "sql", args: { query: "SELECT count(*) FROM output" } },
    ])
      expect(await asked(inspector, `${output}/ask`, call)).toHaveProperty("text");
    expect(await stateOf(directory)).toEqual(before);
  });

  it("says when something is not there, and opens no file that is asked for by a path", async () => {
    const { inspector } = await inspected();
    const headers = { authorization: `Bearer ${inspector.token}` };
    for (const path of [
      "/api/outputs/01KDX0ABCDEFGHJKMNPQRSTVWX",
      `/api/sessions/${"0".repeat(64)}`,
      "/../package.json",
      "/%2e%2e/package.json",
      "/page.js/../../index.js",
      "/api/outputs/..%2f..%2fetc%2fpasswd",
    ])
      expect({ path, status: (await raw(inspector, path, { headers })).status }).toEqual({
        path,
        status: 404,
      });
  });
});
