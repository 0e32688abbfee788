import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { createMeasure } from "../../src/core/measure/measure.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { lro } from "../../src/presets/index.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { ARTIFACT_ID_PATTERN, sessionKeyOf } from "../../src/core/store/naming.js";
import type { ToolOutput } from "../../src/core/types/output.js";
import { newDirectory } from "../after-file.js";
import {
  artifactOf,
  call,
  callTool,
  headerOf,
  memories,
  memoriesOf,
  newOffloader,
  responseOf,
  store,
} from "./offload-call.js";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

const output = (): ToolOutput => ({
  toolName: "recall_memories",
  value: JSON.stringify(memories()),
  sessionId: "s",
});

/** Memories stored under a clock of their own. */
async function stored(options: OffloadOptions = {}) {
  const clock = { nowMs: START_MS };
  const now = (): number => clock.nowMs;
  const directory = newDirectory();
  const own = { now, store: fileStore({ directory, now }), ...options };
  return { clock, directory, ...(await store("light", own, output())) };
}

/** An offloader of another process, and its sweeps. */
function hourly(clock = { nowMs: START_MS }, directory = newDirectory()) {
  const now = (): number => clock.nowMs;
  const store = fileStore({ directory, now });
  const sweeps = vi.spyOn(store, "sweep");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const events: OffloadEvent[] = [];
  const offloader = newOffloader({ now, store, onEvent: (event) => events.push(event) });
  /** Lets time pass, by the clock and by the timers, and tells how many sweeps there were so far. */
  const pass = async (ms: number): Promise<number> => {
    clock.nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
    await sweeps.mock.results.at(-1)?.value;
    return sweeps.mock.calls.length;
  };
  return { directory, events, offloader, pass };
}

describe("lifecycle", () => {
  afterEach(() => vi.useRealTimers());

  it("47 MUST the file and what is kept beside it are removed after the TTL by an hourly sweep, though nobody asks", async () => {
    const { directory, offloader, pass } = hourly();
    await offloader.offload(output());
    const first = readdirSync(directory);
    expect(await pass(1_000)).toBe(1);
    await pass(1);
    // Of another query: an equal output of the same one would give the first a new life.
    await offloader.offload({ ...output(), args: { query: "again" } });
    const both = readdirSync(directory);
    // The first has expired, and no hour has passed since the sweep.
    expect(await pass(HOUR_MS - 2)).toBe(1);
    expect(readdirSync(directory)).toEqual(both);
    // The second has a millisecond to live.
    expect(await pass(1)).toBe(2);
    expect(readdirSync(directory)).toEqual(both.filter((name) => !first.includes(name)));
    expect(await pass(HOUR_MS)).toBe(3);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("48 the TTL is one hour unless an option says otherwise", async () => {
    const { artifact } = await stored();
    expect(artifact.expiresAt - artifact.createdAt).toBe(3600 * 1000);
    const { artifact: preset } = await stored({ preset: lro() });
    expect(preset.expiresAt - preset.createdAt).toBe(3600 * 1000);
    const other = await stored({ retention: { ttlMs: 90_000 } });
    expect(other.artifact.expiresAt - other.artifact.createdAt).toBe(90_000);
  });

  it("49 MUST the time of creation is recorded, and another process finds it", async () => {
    const { artifact, directory, clock } = await stored();
    expect(artifact.createdAt).toBe(START_MS);
    expect(artifact.id).toMatch(ARTIFACT_ID_PATTERN);
    const other = fileStore({ directory, now: () => clock.nowMs });
    expect(await other.stat(artifact.id, sessionKeyOf("s"))).toMatchObject({ createdAt: START_MS });
    const called = await call(memories());
    const createdAt = new Date(artifactOf(called).createdAt);
    expect(headerOf(called)["timestamp"]).toBe(createdAt.toISOString());
  });

  it("50 SHOULD an hourly sweep remove what has expired and is ours, and report each", async () => {
    const { clock, directory, artifact, offloader: first } = await stored();
    const foreign = "atlatl-recall-notes.jsonl";
    writeFileSync(join(directory, foreign), '{"type":"lro_header"}\n');
    clock.nowMs += HOUR_MS / 2;
    // Of another query: an equal output of the same one would give the first a new life.
    const later = await first.offload({ ...output(), args: { query: "again" } });
    const kept = later.outcome === "offloaded" ? later.storedArtifact.fileName : "";
    clock.nowMs += HOUR_MS / 2;

    // Another process finds them.
    const { events, offloader, pass } = hourly(clock, directory);
    await offloader.offload({ ...output(), sessionId: "other" });
    expect(await pass(1_000)).toBe(1);
    expect(events.filter((event) => event.type === "expired")).toMatchObject([
      { specName: "OffloadFileExpired", storedArtifact: { id: artifact.id } },
    ]);
    const left = readdirSync(directory);
    expect(left).toEqual(expect.arrayContaining([kept, foreign]));
    expect(left).not.toContain(artifact.fileName);
    expect(await pass(HOUR_MS - 1)).toBe(1);
    expect(await pass(1)).toBe(2);
  });

  it("51 MAY a file go at its expiry, and not a millisecond before", async () => {
    const { clock, offloader, artifact } = await stored();
    clock.nowMs += HOUR_MS - 1;
    expect(await offloader.sweep()).toEqual([]);
    const { id, sessionKey } = artifact;
    const read = async (): Promise<string> =>
      (await offloader.drillIn.run("read", { id }, { sessionKey })).text;
    expect(await read()).toContain("lro_header");
    clock.nowMs += 1;
    expect(await read()).toMatch(/expired/);
    expect(await offloader.sweep()).toHaveLength(1);
  });
});

/** A directory in which nothing can be written: it is a file. */
function brokenStore(): ReturnType<typeof fileStore> {
  const path = join(newDirectory(), "file");
  writeFileSync(path, "");
  return fileStore({ directory: join(path, "out") });
}

describe("failure", () => {
  it("52 MUST a failed write gives the first memories inline, whole, and leaves no file", async () => {
    const set = memories(300);
    const { message } = await call(set, { store: brokenStore() });
    const inline = JSON.parse(message.text);
    expect(inline).toMatchObject({ truncated: true, total_count: 300 });
    expect(inline.returned_count).toBeGreaterThan(5);
    expect(inline.records).toEqual(set.slice(0, inline.returned_count));
  });

  it("53 MUST the truncated result fits the threshold, warning included", async () => {
    for (const tokens of [200, 1600, 5000]) {
      const options = { store: brokenStore(), threshold: { tokens } };
      const { message } = await call(memories(300, "full"), options);
      const counted = await createMeasure().count(message.text);
      expect(counted.tokens).toBeLessThanOrEqual(tokens);
      expect(counted.tokens).toBeGreaterThan(tokens / 2);
    }
  });

  it("54 MUST it says that storing failed and that the result is truncated", async () => {
    const { message } = await call(memories(), { store: brokenStore() });
    expect(JSON.parse(message.text).warning).toMatch(/failed.*truncated/);
  });

  it("55 MUST OffloadWriteFailed is emitted with tool, store and error", async () => {
    const { events } = await call(memories(), { store: brokenStore() });
    const call_1 = { toolName: "recall_memories", toolCallId: "call_1_0" };
    const outcome = { fallback: "truncated", error: { code: "STORE_WRITE_FAILED" } };
    expect(events.filter(({ type }) => type === "write-failed")).toMatchObject([
      { specName: "OffloadWriteFailed", store: "file", ...call_1, ...outcome },
    ]);
  });

  it("56 MUST NOT the call fail, not even when the listener throws as well", async () => {
    const { message } = await callTool(() => JSON.stringify(memories()), {
      store: brokenStore(),
      onEvent: () => {
        throw new Error("no log");
      },
    });
    expect(message.status ?? "success").toBe("success");
    expect(message.text).toContain('"truncated":true');
  });
});

/** Where memories of so many characters are stored, and how long; `undefined` when they stay. */
async function underSettings(
  env: Readonly<Record<string, string>>,
  characters: number,
  section?: string,
) {
  const file = join(newDirectory(), "atlatl.toml");
  if (section !== undefined) writeFileSync(file, `[prompt.offload]\n${section}\n`);
  const offloader = createOffloader({
    preset: lro({ env, ...(section !== undefined && { file }) }),
    tokenizer: "characters",
  });
  const result = await offloader.offload({ ...output(), value: memoriesOf(characters) });
  await offloader.endSession("s");
  await offloader.close();
  if (result.outcome !== "offloaded") return undefined;
  const { filePath = "", createdAt, expiresAt } = result.storedArtifact;
  return { directory: dirname(filePath), ttlMs: expiresAt - createdAt };
}

describe("settings", () => {
  it("57 enabled, threshold_tokens, ttl_seconds and output_dir hold for the walk, and have defaults", async () => {
    expect(await underSettings({}, 4 * 1600)).toBeUndefined();
    const usual = await underSettings({}, 4 * 1600 + 1);
    expect(usual).toMatchObject({ directory: tmpdir(), ttlMs: 3_600_000 });
    expect(await underSettings({}, 4 * 1600 + 1, "enabled = true")).toMatchObject(usual ?? {});

    const directory = newDirectory();
    const section = `threshold_tokens = 1200\nttl_seconds = 60\noutput_dir = '${directory}'`;
    expect(await underSettings({}, 4 * 1200, section)).toBeUndefined();
    const own = { directory, ttlMs: 60_000 };
    expect(await underSettings({}, 4 * 1200 + 1, section)).toEqual(own);
    expect(await underSettings({}, 400_000, `enabled = false\n${section}`)).toBeUndefined();
  });

  it("58 each setting has an environment variable, which comes before the file", async () => {
    const [inFile, inEnv] = [newDirectory(), newDirectory()];
    const section = `enabled = true\nthreshold_tokens = 1200\nttl_seconds = 60\noutput_dir = '${inFile}'`;
    const under = async (name: string, value: string): Promise<unknown> =>
      underSettings({ [`ATLATL_PROMPT__OFFLOAD__${name}`]: value }, 4 * 1200 + 1, section);
    const fromFile = { directory: inFile, ttlMs: 60_000 };
    expect(await under("ENABLED", "false")).toBeUndefined();
    expect(await under("THRESHOLD_TOKENS", "1201")).toBeUndefined();
    expect(await under("TTL_SECONDS", "7200")).toEqual({ ...fromFile, ttlMs: 7_200_000 });
    expect(await under("OUTPUT_DIR", inEnv)).toEqual({ ...fromFile, directory: inEnv });
    for (const name of ["ENABLED", "THRESHOLD_TOKENS", "TTL_SECONDS"]) {
      const warned = once(process, "warning");
      expect(await under(name, "perhaps")).toEqual(fromFile);
      expect(String(await warned)).toContain(`ATLATL_PROMPT__OFFLOAD__${name} is "perhaps"`);
    }
  });

  it("59 disabled, every result stays inline", async () => {
    const text = JSON.stringify(memories(300));
    const { message, events } = await call(text, { enabled: false });
    expect(message.content).toBe(text);
    expect(events).toEqual([]);
  });
});

describe("conformance levels", () => {
  it("81 MUST level 1: over the threshold a file, and a descriptor with reference and summary", async () => {
    const called = await call(memories(), { describe: { form: "bare" } });
    expect(responseOf(called)).toMatchObject({ offloaded: true, summary: { count: 60 } });
    expect(existsSync(responseOf(called).file_path)).toBe(true);
  });

  it("82 MUST level 2: the ten recipes, the schema and cleanup besides", async () => {
    const { offloader, clock, artifact } = await stored();
    expect(artifact.recipes).toHaveLength(10);
    const called = await call(memories());
    expect(responseOf(called).line_schema).toMatchObject({ type: "object" });
    clock.nowMs += HOUR_MS;
    expect(await offloader.sweep()).toHaveLength(1);
  });

  it("83 MUST level 3: fallback and events besides", async () => {
    const { events } = await call(memories(), { store: brokenStore() });
    expect(events.map(({ type }) => type)).toEqual(["write-failed", "truncated"]);
    const offloaded = await call(memories());
    expect(offloaded.events).toMatchObject([{ type: "offloaded", form: "full" }]);
  });
});
