import { randomBytes } from "node:crypto";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import {
  type ArtifactStore,
  createOffloader,
  memoryStore,
  modelTools,
  type OffloadEvent,
  type OffloadOptions,
  OffloadError,
  scopeOf,
} from "../../src/core.js";
import type { Offloader } from "../../src/offload/offloader.js";
import { openedOffloaders } from "../opened-offloaders.js";

const rows = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 4 ? "open" : "paid" }));
const others = Array.from({ length: 9 }, (_, id) => ({ id, name: `customer ${id}` }));
const secret = randomBytes(32);
const keys = [{ id: "k1", secret }];
const opened = openedOffloaders();

/** One with an output of `owner`; without keys it has no option `grants`. */
async function stored(options: OffloadOptions = {}, withKeys = true) {
  const { offloader, events } = opened({ ...(withKeys && { grants: { keys } }), ...options });
  const { storedArtifact } = await offloader.put(rows, { sessionId: "owner" });
  return { offloader, events, id: storedArtifact.id, fileName: storedArtifact.fileName };
}

/** A clock of the offloader and of its store. */
const clock = (now: () => number): OffloadOptions => ({ now, store: memoryStore({ now }) });

type Answer = Promise<{ text: string; failed: boolean }>;

function asked(
  offloader: Offloader,
  name: string,
  args: object,
  session: { sessionId: string; grants?: readonly string[] },
): Answer {
  const tool = modelTools(offloader, session).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`No ${name}.`);
  return tool.run(args);
}

const kinds = (events: readonly OffloadEvent[]): OffloadEvent[] =>
  events.filter(({ type }) => type.startsWith("grant"));

describe("grantTo", () => {
  it("reaches every drill-in, and outputs of several sessions in one query", async () => {
    const { offloader, fileName, id } = await stored();
    const mine = await offloader.put(others, { sessionId: "reader" });
    const token = await offloader.grantTo({
      sessionId: "owner",
      to: "reader",
      outputs: [fileName],
    });
    const session = { sessionId: "reader", grants: [token] };
    const read = await asked(offloader, "read_tool_output", { id: fileName }, session);
    expect(read).toMatchObject({ failed: false });
    const grep = await asked(
      offloader,
      "grep_tool_output",
      { id, pattern: "paid", count_only: true },
      session,
    );
    expect(grep.text).toContain("125");
    const filter = "[($mine | length), length]";
    const jq = await asked(
      offloader,
      "jq_tool_output",
      { id, filter, slurp: true, compact: true, with: { mine: mine.storedArtifact.id } },
      session,
    );
    expect(jq.text).toContain("[9,500]");
    const query = "SELECT count(*) AS n FROM output JOIN mine USING (id)";
    const sql = await asked(
      offloader,
      "sql_tool_output",
      { id: mine.storedArtifact.id, query: query.replace("mine", "theirs"), with: { theirs: id } },
      session,
    );
    expect(sql).toMatchObject({ failed: false, text: expect.stringContaining("9") });
  });

  it("refuses without keys, and says what to set", async () => {
    const { offloader, id } = await stored({}, false);
    const request = { sessionId: "owner", to: "reader", outputs: [id] };
    const refusal = {
      code: "INVALID_OPTIONS",
      message: expect.stringContaining("grants: { keys: [{ id, secret }] }"),
    };
    await expect(offloader.grantTo(request)).rejects.toMatchObject(refusal);
    await expect(offloader.revoke("lrog1.k1.x.y")).rejects.toMatchObject(refusal);
  });

  it.each([
    ["no session", { sessionId: "" }, /sessionId/],
    ["no receiver", { to: "" }, /needs to,/],
    ["no outputs", { outputs: undefined }, /outputs/],
    ["what is no id", { outputs: ["orders.json"] }, /outputs\[0\]/],
    ["too many", { outputs: Array.from({ length: 101 }, () => "x") }, /at most 100/],
    ["no time", { ttlMs: 0 }, /ttlMs/],
    ["a time that is past", { until: 5 }, /until/],
    ["two times", { ttlMs: 5, until: 5 }, /not both/],
  ])("refuses %s", async (_, wrong, message) => {
    const { offloader, id } = await stored();
    const request = { sessionId: "owner", to: "reader", outputs: [id], ...wrong };
    await expect(offloader.grantTo(request as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
      message: expect.stringMatching(message),
    });
  });

  it("gives no output of a third session, although the one that grants names it", async () => {
    const { offloader } = await stored();
    const third = await offloader.put(others, { sessionId: "third" });
    const outputs = [third.storedArtifact.id];
    const token = await offloader.grantTo({ sessionId: "owner", to: "reader", outputs });
    const session = { sessionId: "reader", grants: [token] };
    const answer = await asked(offloader, "read_tool_output", { id: outputs[0] }, session);
    expect(answer).toMatchObject({
      failed: true,
      text: expect.stringMatching(/No stored output/) as string,
    });
  });
});

describe("the keys of grants", () => {
  it("rotate: the first signs, all are known, and one that is taken out no more", async () => {
    const store = memoryStore();
    const { offloader: before, id } = await stored({ store });
    const request = { sessionId: "owner", to: "reader", outputs: [id] };
    const old = await before.grantTo(request);
    const newer = { id: "k2", secret: "a text of thirty-two bytes or more" };
    const during = opened({ store, grants: { keys: [newer, ...keys] } }).offloader;
    const after = opened({ store, grants: { keys: [newer] } }).offloader;
    const fresh = await during.grantTo(request);
    expect(fresh.split(".")[1]).toBe("k2");
    const reads = async (one: Offloader, token: string): Promise<boolean> => {
      const session = { sessionId: "reader", grants: [token] };
      return !(await asked(one, "read_tool_output", { id }, session)).failed;
    };
    expect([await reads(during, old), await reads(during, fresh)]).toEqual([true, true]);
    expect([await reads(after, old), await reads(after, fresh)]).toEqual([false, true]);
    expect([await reads(before, old), await reads(before, fresh)]).toEqual([true, false]);
  });

  it.each([
    ["none", []],
    ["a short secret", [{ id: "k1", secret: "hush, hush" }]],
    ["an id with a dot", [{ id: "k.1", secret }]],
    ["an id twice", [keys[0], keys[0]]],
  ])("are refused: %s", (_, wrong) => {
    let thrown: unknown;
    try {
      createOffloader({ store: memoryStore(), grants: { keys: wrong as never } });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(OffloadError);
    expect(String(thrown)).toContain("grants.keys");
    expect(String(thrown)).not.toContain("hush");
  });

  it("are not shown by what prints the offloader", async () => {
    const { offloader } = await stored({
      grants: { keys: [{ id: "k1", secret: "s".repeat(40) }] },
    });
    const printed = inspect(offloader, { depth: 20, showHidden: true }) + JSON.stringify(offloader);
    expect(printed).not.toContain("s".repeat(40));
    expect(printed).not.toContain(Buffer.from("s".repeat(40)).toString("hex").slice(0, 20));
  });
});

describe("what is told of grants", () => {
  it("names the grant, its sessions and its outputs, and never the token or a secret", async () => {
    const { offloader, events, id } = await stored();
    const request = { sessionId: "owner", to: "reader", outputs: [id] };
    const token = await offloader.grantTo({ ...request, until: 9_000_000_000_000 });
    const session = { sessionId: "reader", grants: ["nothing", token] };
    await asked(offloader, "read_tool_output", { id }, session);
    await offloader.revoke(token);
    await asked(offloader, "read_tool_output", { id }, session);
    const [from, to] = [scopeOf("owner"), scopeOf("reader")];
    const grantId: unknown = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(kinds(events)).toEqual([
      { type: "granted", grantId, scope: from, to, artifactIds: [id], until: 9_000_000_000_000 },
      { type: "grant-used", grantId, artifactId: id, scope: to, from },
      { type: "grant-revoked", grantId, scope: from },
      {
        type: "grant-refused",
        artifactId: id,
        scope: to,
        refusals: [{ reason: "malformed" }, { grantId, reason: "revoked" }],
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(token.split(".")[3]);
    expect(JSON.stringify(events)).not.toContain(token.split(".")[2]);
  });

  it("has no output that expires where a grant is over, and no sweep gives one", async () => {
    let nowMs = 1_790_000_000_000;
    const { offloader, events, id } = await stored({ ...clock(() => nowMs) });
    await offloader.grantTo({ sessionId: "owner", to: "reader", outputs: [id], ttlMs: 10 });
    nowMs += 20;
    expect(await offloader.sweep()).toEqual([]);
    expect(events.filter(({ type }) => type === "expired")).toEqual([]);
    const page = await offloader.store.list(scopeOf("owner"));
    expect(page.artifacts.map((artifact) => artifact.id)).toEqual([id]);
  });
});

/** Counts the calls of a store, and fails those that `failing` names. */
function watched(store: ArtifactStore, failing: { fails: boolean } = { fails: false }) {
  const calls: string[] = [];
  const stat: ArtifactStore["stat"] = async (id, scope) => {
    calls.push(id);
    if (failing.fails) throw new OffloadError("STORE_READ_FAILED", "down");
    return await store.stat(id, scope);
  };
  return { calls, store: { ...store, stat } };
}

describe("a lookup", () => {
  it("asks the store no more often where no token is passed, or the output is the session's own", async () => {
    const counted = async (
      withKeys: boolean,
      tokens: boolean,
      args: (id: string) => object,
    ): Promise<number> => {
      const { calls, store } = watched(memoryStore());
      const { offloader, id } = await stored({ store }, withKeys);
      const token = tokens
        ? [await offloader.grantTo({ sessionId: "third", to: "owner", outputs: "all" })]
        : undefined;
      calls.length = 0;
      const session = { sessionId: "owner", ...(token && { grants: token }) };
      await asked(offloader, "read_tool_output", args(id), session);
      return calls.length;
    };
    const own = (id: string): object => ({ id });
    const absent = (): object => ({ id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    const off = [await counted(false, false, own), await counted(false, false, absent)];
    expect(off[0]).toBe(1);
    expect([await counted(true, false, own), await counted(true, false, absent)]).toEqual(off);
    expect(await counted(true, true, own)).toBe(off[0]);
  });

  it("answers as ever where grants are not set up, whatever tokens are passed", async () => {
    const { offloader, id } = await stored({}, false);
    const args = { id };
    const plain = await asked(offloader, "read_tool_output", args, { sessionId: "reader" });
    expect(plain.text).not.toContain("granted");
    const session = { sessionId: "reader", grants: ["lrog1.k1.x.y"] };
    expect(await asked(offloader, "read_tool_output", args, session)).toEqual(plain);
  });

  it("says in the one answer that an output of another agent needs a grant, where they are set up", async () => {
    const { offloader, id } = await stored();
    const session = { sessionId: "reader" };
    const foreign = await asked(offloader, "read_tool_output", { id }, session);
    expect(foreign.text).toContain("only if the application has granted it");
    const absent = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" };
    expect(await asked(offloader, "read_tool_output", absent, session)).toEqual(foreign);
  });

  it("fails closed when the store fails", async () => {
    const failing = { fails: false };
    const { store } = watched(memoryStore(), failing);
    const { offloader, id } = await stored({ store });
    const token = await offloader.grantTo({ sessionId: "owner", to: "reader", outputs: [id] });
    failing.fails = true;
    const session = { sessionId: "reader", grants: [token] };
    const answer = await asked(offloader, "read_tool_output", { id }, session);
    expect(answer).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^The store did not answer/) as string,
    });
  });

  it("says of a granted output that has expired that it has", async () => {
    let nowMs = 1_790_000_000_000;
    const { offloader, id } = await stored({ ...clock(() => nowMs), retention: { ttlMs: 1000 } });
    const token = await offloader.grantTo({
      sessionId: "owner",
      to: "reader",
      outputs: [id],
      ttlMs: 5000,
    });
    nowMs += 2000;
    const session = { sessionId: "reader", grants: [token] };
    const answer = await asked(offloader, "read_tool_output", { id }, session);
    expect(answer).toMatchObject({
      failed: true,
      text: expect.stringMatching(/expired/) as string,
    });
  });

  it("counts as a reading, which moves the expiry where the options say so", async () => {
    let nowMs = 1_790_000_000_000;
    const retention = { ttlMs: 10_000, refreshOnRead: true };
    const { offloader, id } = await stored({ ...clock(() => nowMs), retention });
    const token = await offloader.grantTo({ sessionId: "owner", to: "reader", outputs: [id] });
    nowMs += 9000;
    await asked(offloader, "read_tool_output", { id }, { sessionId: "reader", grants: [token] });
    expect((await offloader.store.stat(id, scopeOf("owner")))?.expiresAt).toBe(nowMs + 10_000);
  });
});
