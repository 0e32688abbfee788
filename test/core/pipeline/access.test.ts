import { describe, expect, it, vi } from "vitest";

import { type AccessRule, type OffloadOptions, sessionKeyOf } from "../../../src/core.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const UNKNOWN_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const TEXT = "what the owner has stored";
const opened = openedOffloaders();

/** Reads as a session over a store in which `acme:owner` has an output, beside the answer for an unknown id. */
async function reading(
  access: AccessRule | undefined,
  { sessionId = "acme:reader", ...options }: OffloadOptions & { sessionId?: string } = {},
) {
  const calls: string[] = [];
  const { stat, ...store } = options.store ?? memoryStore();
  const { offloader, events } = opened({
    ...options,
    ...(access && { access }),
    store: {
      ...store,
      stat: async (id, sessionKey) => {
        calls.push(sessionKey);
        return await stat(id, sessionKey);
      },
    },
  });
  const { storedArtifact } = await offloader.put(TEXT, { sessionId: "acme:owner" });
  const tool = offloader.tools(sessionId).find(({ name }) => name === "read_tool_output");
  const read = async (id: string): Promise<string> => (await tool?.run({ id }))?.text ?? "";
  events.length = calls.length = 0;
  return { offloader, events, calls, stored: storedArtifact, read };
}

const foundBy = async (access: AccessRule): Promise<boolean> => {
  const { read, stored } = await reading(access);
  return (await read(stored.id)).includes(TEXT);
};

describe("the rule access", () => {
  it("is told who asks for what, by its id whatever form the call names, and opens what it names", async () => {
    const asked: unknown[] = [];
    const { read, stored } = await reading((read) => {
      asked.push(read);
      return Promise.resolve(["acme:other", "acme:owner"]);
    });
    const forms = [stored.id.toLowerCase(), stored.fileName, `/tmp/x/${stored.fileName}`];
    for (const form of forms) expect(await read(form)).toContain(TEXT);
    const told = { sessionId: "acme:reader", artifactId: stored.id, context: undefined };
    expect(asked).toEqual([told, told, told]);
  });

  it("is not asked for an output of the session's own, nor for what names no id", async () => {
    const rule = vi.fn<AccessRule>(() => ["acme:owner"]);
    const { read, stored } = await reading(rule, { sessionId: "acme:owner" });
    expect(await read(stored.id)).toContain(TEXT);
    await read("orders.json");
    await read(`../${stored.fileName}`);
    expect(rule).not.toHaveBeenCalled();
  });

  it("says of an output that it opens, and that has expired, that it has, and counts as a reading", async () => {
    let nowMs = 1_790_000_000_000;
    const now = (): number => nowMs;
    const { read, stored, offloader } = await reading(() => ["acme:owner"], {
      now,
      store: memoryStore({ now }),
      retention: { ttlMs: 1000, refreshOnRead: true },
    });
    nowMs += 900;
    expect(await read(stored.id)).toContain(TEXT);
    expect((await offloader.store.stat(stored.id, sessionKeyOf("acme:owner")))?.expiresAt).toBe(
      nowMs + 1000,
    );
    nowMs += 2000;
    expect(await read(stored.id)).toContain("expired");
  });
});

describe("the rule access fails closed", () => {
  const late: AccessRule = () => new Promise(() => undefined);
  const thrown = new Error("down");
  const throwing = new Proxy([], {
    get: () => {
      throw thrown;
    },
  });
  const failing: [string, AccessRule][] = [
    [
      "throws",
      () => {
        throw thrown;
      },
    ],
    ["rejects", () => Promise.reject(thrown)],
    ["never settles", late],
    ...Object.entries({
      nothing: undefined,
      "a text": "acme:owner",
      "an object": { 0: "acme:owner", length: 1 },
      "a set": new Set(["acme:owner"]),
    }).map(([name, junk]): [string, AccessRule] => [`gives ${name}`, () => junk as never]),
    ["gives what is no text among texts", () => ["acme:owner", 7] as never],
    ["gives a list that throws", () => throwing],
  ];

  it.each(failing)("where it %s: the answer of an unknown id, and an event", async (_, rule) => {
    vi.useFakeTimers();
    try {
      const { read, stored, events } = await reading(rule);
      const answers = Promise.all([read(stored.id), read(UNKNOWN_ID)]);
      await vi.advanceTimersByTimeAsync(60_000);
      const [foreign, unknown] = await answers;
      expect(foreign).toBe(unknown);
      expect(foreign).not.toContain(stored.fileName);
      const failed = events.filter(({ type }) => type === "option-failed");
      expect(failed).toMatchObject([{ option: "access" }, { option: "access" }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, string[]]>([
    ["nobody", []],
    ["its own session", ["acme:reader"]],
    ["the same thread of another tenant", ["globex:owner", "owner"]],
    ["the hash of a session", [sessionKeyOf("acme:owner")]],
  ])("where it names %s: the answer of an unknown id", async (_, sessions) => {
    const { read, stored, events } = await reading(() => sessions);
    const plain = await reading(undefined);
    const unknown = await plain.read(UNKNOWN_ID);
    expect(await read(stored.id)).toBe(unknown);
    expect(events.filter(({ type }) => type === "option-failed")).toEqual([]);
  });

  it("where an id is forged, although the session of the output is named", async () => {
    const { read, stored } = await reading(() => ["acme:owner"]);
    const last = stored.id.endsWith("0") ? "1" : "0";
    const forged = stored.id.slice(0, -1) + last;
    expect(await read(forged)).toBe(await read(UNKNOWN_ID));
  });

  it("looks in 16 sessions and no more", async () => {
    const others = (count: number): string[] => Array.from({ length: count }, (_, at) => `o${at}`);
    expect(await foundBy(() => [...others(15), "acme:owner"])).toBe(true);
    expect(await foundBy(() => [...others(16), "acme:owner"])).toBe(false);
  });

  it("where the store fails in the session that it names", async () => {
    const { read, stored, calls, offloader } = await reading(() => ["acme:owner"]);
    const owner = sessionKeyOf("acme:owner");
    const stat = offloader.store.stat.bind(offloader.store);
    offloader.store.stat = async (id, sessionKey) => {
      if (sessionKey === owner) throw new Error("down");
      return await stat(id, sessionKey);
    };
    expect(await read(stored.id)).not.toContain(TEXT);
    expect(calls).not.toContain(owner);
  });
});

it("without the rule access, a lookup asks the store for the session's own alone", async () => {
  const { read, stored, calls } = await reading(undefined);
  expect(await read(stored.id)).not.toContain(TEXT);
  expect(new Set(calls)).toEqual(new Set([sessionKeyOf("acme:reader")]));
});
