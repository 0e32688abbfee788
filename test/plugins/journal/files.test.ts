import * as fc from "fast-check";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { beforeEach, describe, expect, it, vi } from "vitest";

import type { AgentHooks } from "../../../src/adapters/langchain/agent-hooks.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import type { OffloadPlugin } from "../../../src/core/types/plugin.js";
import { createOffloader } from "../../../src/index.js";
import { readEntry } from "../../../src/plugins/journal/entry.js";
import { readJournal, type JournalEntry } from "../../../src/plugins/journal/index.js";
import { eventEntry, journalTo, type TakeText } from "../../../src/plugins/journal/journal.js";
import { fileJournal, makeRoom, type Journal } from "../../../src/plugins/journal/writer.js";
import { everything, stayed } from "./entries.js";
import { newDirectory } from "../../after-file.js";

let directory = "";
beforeEach(() => {
  directory = newDirectory();
});

const MIB = 1_048_576;
const segmentName = (number: number): string =>
  `journal-0000000000001-1-aaaaaaaa-${String(number).padStart(6, "0")}.jsonl`;
const segments = (): string[] => fs.readdirSync(directory).toSorted();
const sizeOf = (folder: string): number =>
  fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0);
const timesIn = async (folder = directory): Promise<number[]> =>
  (await everything(folder, "s")).map(({ at }) => at);

const written = fc.tuple(fc.constantFrom("a", "b"), fc.string({ unit: "binary" }), fc.nat(5));

describe("files of a journal", () => {
  it("give back what was written, in its order, whatever a name is made of", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(written, { maxLength: 60 }), async (written) => {
        const folder = newDirectory();
        const journals = [fileJournal({ directory: folder }), fileJournal({ directory: folder })];
        let at = 1;
        const told = written.map(([session, name, step]) => stayed(session, (at += step), name));
        told.forEach((entry, index) => journals[index % 2]?.append(entry));
        for (const journal of journals) await journal.flush?.();
        for (const session of ["a", "b"]) {
          const read = await everything(folder, session);
          const expected = told.filter((entry) => entry.session === session);
          expect(read.map((entry) => entry.at)).toEqual(expected.map((entry) => entry.at));
          const like = expected.map((entry): unknown => expect.objectContaining(entry));
          expect(read).toEqual(expect.arrayContaining(like));
        }
      }),
      { numRuns: 12 },
    );
  });

  it("lose nothing when they are flushed, and so closed, while more is appended", async () => {
    const journal = fileJournal({ directory });
    const flushed: (Promise<void> | undefined)[] = [];
    for (let at = 1; at <= 300; at += 1) {
      journal.append(stayed("s", at, "t"));
      if (at % 7 === 0) flushed.push(journal.flush?.());
      if (at % 10 === 0) await new Promise((done) => setImmediate(done));
    }
    await Promise.all([...flushed, journal.flush?.()]);
    expect(await timesIn()).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });

  it("never have more bytes than they may, and keep the latest", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(15_000), { minLength: 1, maxLength: 400 }),
        async (sizes) => {
          const folder = newDirectory();
          const journal = fileJournal({ directory: folder }, { maxAgeMs: 1e12, maxBytes: MIB });
          for (const [index, size] of sizes.entries()) {
            journal.append({ ...stayed("s", index + 1, "t"), text: { text: "x".repeat(size) } });
            if (index % 4 === 3) {
              await journal.flush?.();
              expect(sizeOf(folder)).toBeLessThanOrEqual(MIB);
            }
          }
          await journal.flush?.();
          expect(sizeOf(folder)).toBeLessThanOrEqual(MIB);
          const times = await timesIn(folder);
          expect(times).toEqual(sizes.map((_, index) => index + 1).slice(-times.length));
        },
      ),
      { numRuns: 4 },
    );
  });

  it("go when they are too old, or there are too many of them", async () => {
    fs.writeFileSync(join(directory, segmentName(0)), "");
    fs.writeFileSync(join(directory, "notes.txt"), "somebody's own");
    fs.utimesSync(join(directory, segmentName(0)), 1, 1);
    await makeRoom(directory, { maxAgeMs: 1_000, maxBytes: MIB }, 0);
    expect(segments()).toEqual(["notes.txt"]);
    for (let number = 0; number < 520; number += 1)
      fs.writeFileSync(join(directory, segmentName(number)), "");
    await makeRoom(directory, { maxAgeMs: 1e12, maxBytes: MIB }, 0);
    expect(segments().length).toBeLessThanOrEqual(512);
  });

  it("begin anew where somebody has deleted the one that is written, and go on in it after a flush", async () => {
    const journal = fileJournal({ directory });
    journal.append(stayed("s", 1, "a"));
    await journal.flush?.();
    journal.append(stayed("s", 2, "b"));
    await journal.flush?.();
    expect(segments()).toHaveLength(1);
    fs.unlinkSync(join(directory, segments()[0] ?? ""));
    journal.append(stayed("s", 3, "c"));
    await journal.flush?.();
    expect(await timesIn()).toEqual([3]);
  });

  it("lose entries where the directory cannot be written, and say how many when it can", async () => {
    const place = join(directory, "place");
    fs.writeFileSync(place, "a file stands where the directory should be");
    const journal = fileJournal({ directory: place });
    for (let at = 1; at <= 5; at += 1) journal.append(stayed("s", at, "a"));
    await journal.flush?.();
    journal.append(stayed("s", 6, "a"));
    fs.unlinkSync(place);
    await journal.flush?.();
    expect(await readJournal(place).losses()).toMatchObject({ lostEntries: 5 });
    expect(await timesIn(place)).toEqual([6]);
  });

  it("have no more than waits at most, when more comes than is written, and say what was lost", async () => {
    const journal = fileJournal({ directory });
    const text = { text: "x".repeat(9_900) };
    for (let at = 1; at <= 2_000; at += 1) journal.append({ ...stayed("s", at, "t"), text });
    await journal.flush?.();
    const { lostEntries } = await readJournal(directory).losses();
    expect(lostEntries).toBeGreaterThan(1_000);
    expect(await timesIn()).toHaveLength(2_000 - lostEntries);
  });

  it("are not written into a default folder that others may write to, nor read there", async () => {
    const own = newDirectory();
    vi.stubEnv("TMPDIR", own);
    try {
      const folder = join(own, `langchain-offload-journal-${process.geteuid?.()}`);
      fs.mkdirSync(folder);
      fs.chmodSync(folder, 0o777);
      const journal = fileJournal();
      journal.append(stayed("s", 1, "a"));
      await journal.flush?.();
      expect(fs.readdirSync(folder)).toEqual([]);
      await expect(readJournal().sessions()).rejects.toThrow("not this user's alone");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("whoever reads a journal", () => {
  const good = (at: number, session = "s"): string => JSON.stringify(stayed(session, at, "t"));
  const write = (lines: string, number = 0): void => {
    fs.writeFileSync(join(directory, segmentName(number)), lines, { flag: "a" });
  };

  it("passes over and counts lines that are no entries, and reads past a torn one", async () => {
    const hostile = [
      "",
      "null",
      "[]",
      "{",
      '{"v":2,"at":1,"type":"stayed-inline"}',
      '{"v":1,"at":"1","type":"stayed-inline","toolName":"t","sizeBytes":1}',
      '{"v":1,"at":1,"type":"constructor"}',
      '{"v":1,"at":1,"type":"__proto__"}',
      '{"v":1,"at":1,"type":"offloaded","artifact":"none"}',
      '{"v":1,"at":1,"type":"offloaded","session":{"toString":1}}',
      good(2).replace('"at":2', '"at":1e999'),
      good(2).replace('"sizeBytes":5', '"sizeBytes":1e300'),
      good(2, "s".repeat(301)),
      good(2).replace('"toolName":"t"', `"toolName":"${"t".repeat(301)}"`),
      good(2).replace('"sizeBytes":5', `"sizeBytes":5,"text":{"text":"${"t".repeat(32_769)}"}`),
      good(2).replace('"sizeBytes":5', '"sizeBytes":5,"text":{"text":"t","characters":1e999}'),
      "[".repeat(100_000),
      `"${"x".repeat(600_000)}"`,
      "\u0000\ufffd",
    ];
    write(`${good(1)}\n${hostile.join("\n")}\n${good(2)}\n${good(3).slice(0, 40)}`);
    write(`${good(4)}\n`, 1);
    const reader = readJournal(directory);
    expect(await timesIn()).toEqual([1, 2, 4]);
    expect(await reader.losses()).toMatchObject({ skippedLines: hostile.length });
  });

  it("leaves out members that no entry has, and never takes an id from a line", async () => {
    write(`${good(1).slice(0, -1)},"id":"mine","__proto__":{"evil":1},"more":{"a":1}}\n`);
    const [entry] = await everything(directory, "s");
    expect(entry).toEqual({ ...stayed("s", 1, "t"), id: "0000000000001-1-aaaaaaaa-000000:0" });
  });

  it("looks at regular files of its own names only", async () => {
    fs.writeFileSync(join(directory, "journal-x.jsonl"), `${good(1)}\n`);
    fs.symlinkSync("/dev/zero", join(directory, segmentName(9)));
    const none = { total: 0, sessions: [] };
    expect(await readJournal(directory).sessions()).toEqual(none);
    expect(await readJournal(join(directory, "none")).sessions()).toEqual(none);
  });

  it("has sessions by their latest entry, in pages", async () => {
    for (let session = 0; session < 5; session += 1) write(`${good(session + 1, `s${session}`)}\n`);
    write(`${good(9, "s1")}\n`);
    const { total, sessions } = await readJournal(directory).sessions({ from: 0, limit: 2 });
    expect(total).toBe(5);
    expect(sessions.map(({ id }) => id)).toEqual(["s1", "s4"]);
    expect(sessions[0]).toMatchObject({ firstAt: 2, lastAt: 9, entries: 2 });
  });

  it("finds what is written later, and what has gone", async () => {
    write(`${good(1)}\n`);
    const reader = readJournal(directory);
    expect((await reader.session("s"))?.entries).toBe(1);
    write(`${good(2)}\n${good(3).slice(0, 30)}`);
    expect((await reader.session("s"))?.entries).toBe(2);
    write(`${good(3).slice(30)}\n`);
    expect((await reader.entries("s", { from: 2 })).entries).toMatchObject([{ at: 3 }]);
    fs.unlinkSync(join(directory, segments()[0] ?? ""));
    expect(await reader.session("s")).toBeUndefined();
  });
});

/** An offloader and the entries of its journal. */
function journalled(...plugins: readonly OffloadPlugin[]) {
  const entries: JournalEntry[] = [];
  const to: Journal = { append: (entry) => void entries.push(entry) };
  const own = [...plugins, journalTo(to)];
  return { entries, offloader: createOffloader({ store: memoryStore(), plugins: own }) };
}

it("loses the entry of an answer that it cannot tell of, and nothing else", async () => {
  const { entries, offloader } = journalled();
  const agents = internals(offloader).host.plugged.map(({ hooks }) => hooks.agent?.({} as never));
  const [own] = agents as AgentHooks[];
  const context = () => ({ parts: {}, contextTokens: 0, withoutTokens: 0, largest: [] });
  const call = { request: {} as never, sessionKey: "s", windowTokens: undefined, context };
  const noName = (): never => {
    throw new Error("no name");
  };
  for (const usage of [noName, () => ({ toolCalls: [] })])
    own?.onModelCall?.(call)?.({ failed: false, durationMs: 1, usage });
  await offloader.close();
  const types = entries.map(({ type }) => type);
  expect(types).toEqual(["model-called", "entries-lost", "model-called", "model-answered"]);
});

it("keeps the order of entries whose texts a plugin cleans, and withholds what it cannot clean", async () => {
  const cleaning: OffloadPlugin = {
    name: "cleaning",
    setup: () => ({
      async clean(text) {
        if (text.includes("refuse")) throw new Error("no");
        await setTimeout(text.includes("slow") ? 20 : 0);
        return text.replaceAll("4111", "[card]");
      },
    }),
  };
  const { entries, offloader } = journalled(cleaning);
  const { notify } = internals(offloader);
  for (const data of ["slow 4111", "refuse 4111", "4111"])
    notify({ type: "plugin-event", plugin: "p", name: "seen", sessionKey: "s", data });
  await offloader.close();
  const texts = entries.flatMap((entry) => (entry.type === "plugin-event" ? [entry.data] : []));
  const withheld = { text: "", withheld: true };
  expect(texts).toEqual([{ text: '"slow [card]"' }, withheld, { text: '"[card]"' }]);
});

it("writes what a plugin tells so that it is read back, its data as a text only where there are texts", () => {
  const events: readonly OffloadEvent[] = [
    { type: "plugin-failed", plugin: "p", hook: "clean", error: new Error("at /home/anna") },
    { type: "plugin-event", plugin: "p", name: "seen", sessionKey: "s", data: { card: "4111" } },
  ];
  const lines = [true, false].map((hasTexts) =>
    events.map((event) => {
      const take: TakeText = (text = "") => (hasTexts ? { text } : undefined);
      const entry = { v: 1, at: 1, ...eventEntry(event, {}, take) };
      expect(readEntry(JSON.stringify(entry), "id")).toEqual({ ...entry, id: "id" });
      return JSON.stringify(entry);
    }),
  );
  expect(lines[0]?.join("")).toContain("4111");
  expect(lines[1]?.join("")).not.toContain("4111");
  expect(lines.join("")).not.toContain("anna");
});
