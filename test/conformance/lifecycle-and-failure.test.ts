import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { readSettings } from "../../src/options/read-settings.js";
import { createMeasure } from "../../src/measure/measure.js";
import type { OffloadEvent } from "../../src/events.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { fileStore } from "../../src/store/file/index.js";
import { ARTIFACT_ID_PATTERN, scopeOf } from "../../src/store/naming.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import type { ToolOutput } from "../../src/types/output.js";
import {
  artifactOf,
  call,
  callTool,
  headerOf,
  memories,
  newDirectory,
  newOffloader,
  responseOf,
} from "./walk.js";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

const output = (): ToolOutput => ({
  toolName: "recall_memories",
  value: JSON.stringify(memories()),
  sessionId: "s",
});

/** A walk with a clock of its own, and one stored output. */
async function stored(options: OffloadOptions = {}): Promise<{
  readonly clock: { nowMs: number };
  readonly directory: string;
  readonly artifact: StoredArtifact;
  readonly events: readonly OffloadEvent[];
  readonly offloader: ReturnType<typeof newOffloader>;
}> {
  const clock = { nowMs: START_MS };
  const now = (): number => clock.nowMs;
  const directory = newDirectory();
  const events: OffloadEvent[] = [];
  const offloader = newOffloader({
    now,
    store: fileStore({ directory, now }),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const result = await offloader.offload(output());
  if (result.outcome !== "offloaded") throw new Error("The output was not offloaded.");
  return { clock, directory, artifact: result.storedArtifact, events, offloader };
}

describe("lifecycle", () => {
  it("47 MUST the file and what is kept beside it are removed after the TTL", async () => {
    const { clock, directory, offloader, artifact } = await stored();
    expect(existsSync(artifact.filePath ?? "")).toBe(true);
    clock.nowMs += HOUR_MS;
    await offloader.sweep();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("48 the TTL is one hour unless an option says otherwise", async () => {
    const { artifact } = await stored();
    expect(artifact.expiresAt - artifact.createdAt).toBe(3600 * 1000);
    const other = await stored({ retention: { ttlMs: 90_000 } });
    expect(other.artifact.expiresAt - other.artifact.createdAt).toBe(90_000);
  });

  it("49 MUST the time of creation is recorded, and another process finds it", async () => {
    const { artifact, directory, clock } = await stored();
    expect(artifact.createdAt).toBe(START_MS);
    expect(artifact.id).toMatch(ARTIFACT_ID_PATTERN);
    const other = fileStore({ directory, now: () => clock.nowMs });
    expect(await other.stat(artifact.id, scopeOf("s"))).toMatchObject({ createdAt: START_MS });
    const called = await call(memories());
    expect(headerOf(called)["timestamp"]).toBe(
      new Date(artifactOf(called).createdAt).toISOString(),
    );
  });

  it("50 SHOULD a sweep removes only what has expired and is ours, and reports each", async () => {
    const { clock, directory, artifact, events, offloader } = await stored();
    const foreign = join(directory, "atlatl-recall-notes.jsonl");
    writeFileSync(foreign, '{"type":"lro_header"}\n');
    clock.nowMs += HOUR_MS / 2;
    // Of another query: an equal output of the same one would give the first a new life.
    const later = await offloader.offload({ ...output(), args: { query: "again" } });
    clock.nowMs += HOUR_MS / 2;
    await offloader.sweep();
    const expired = events.filter((event) => event.type === "expired");
    expect(expired).toMatchObject([
      { specName: "OffloadFileExpired", storedArtifact: { id: artifact.id } },
    ]);
    const kept = later.outcome === "offloaded" ? later.storedArtifact.fileName : "";
    expect(readdirSync(directory)).toEqual(
      expect.arrayContaining([kept, "atlatl-recall-notes.jsonl"]),
    );
    expect(existsSync(artifact.filePath ?? "")).toBe(false);
    expect(newOffloader().options.sweepIntervalMs).toBe(HOUR_MS);
  });

  it("51 MAY a file go at its expiry, and not a millisecond before", async () => {
    const { clock, offloader, artifact } = await stored();
    clock.nowMs += HOUR_MS - 1;
    expect(await offloader.sweep()).toEqual([]);
    const read = async (): Promise<string> =>
      (await offloader.drillIn.read({ id: artifact.id }, artifact.scope)).text;
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

interface Truncated {
  readonly warning: string;
  readonly truncated: boolean;
  readonly total_count: number;
  readonly returned_count: number;
  readonly records: readonly unknown[];
}

describe("failure", () => {
  it("52 MUST a failed write gives the first memories inline, whole, and leaves no file", async () => {
    const set = memories(300);
    const { message } = await call(set, { store: brokenStore() });
    const inline: Truncated = JSON.parse(message.text);
    expect(inline).toMatchObject({ truncated: true, total_count: 300 });
    expect(inline.returned_count).toBeGreaterThan(5);
    expect(inline.records).toEqual(set.slice(0, inline.returned_count));
  });

  it("53 MUST the truncated result fits the threshold, warning included", async () => {
    for (const tokens of [200, 1600, 5000]) {
      const options = { store: brokenStore(), decide: { threshold: { tokens } } };
      const { message } = await call(memories(300, "full"), options);
      const counted = await createMeasure().count(message.text);
      expect(counted.tokens).toBeLessThanOrEqual(tokens);
      expect(counted.tokens).toBeGreaterThan(tokens / 2);
    }
  });

  it("54 MUST it says that storing failed and that the result is truncated", async () => {
    const { message } = await call(memories(), { store: brokenStore() });
    const inline: Truncated = JSON.parse(message.text);
    expect(inline.warning).toMatch(/failed.*truncated/);
  });

  it("55 MUST OffloadWriteFailed is emitted with tool, store and error", async () => {
    const { events } = await call(memories(), { store: brokenStore() });
    expect(events.filter(({ type }) => type === "write-failed")).toMatchObject([
      {
        specName: "OffloadWriteFailed",
        toolName: "recall_memories",
        toolCallId: "call_1_0",
        store: "file",
        fallback: "truncated",
        error: { code: "STORE_WRITE_FAILED" },
      },
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

describe("settings", () => {
  it("57 enabled, threshold_tokens, ttl_seconds and output_dir have their defaults and a file", () => {
    expect(readSettings().values).toEqual({
      enabled: true,
      thresholdTokens: 1600,
      ttlSeconds: 3600,
      outputDir: "",
    });
    const file = join(newDirectory(), "atlatl.toml");
    writeFileSync(file, "[prompt.offload]\nthreshold_tokens = 800\noutput_dir = '/var/lro'\n");
    expect(readSettings({ file }).values).toEqual({
      enabled: true,
      thresholdTokens: 800,
      ttlSeconds: 3600,
      outputDir: "/var/lro",
    });
  });

  it("58 each setting has an environment variable, which comes before the file", () => {
    const file = join(newDirectory(), "atlatl.toml");
    writeFileSync(file, "[prompt.offload]\nenabled = true\nttl_seconds = 60\n");
    const env = {
      ATLATL_PROMPT__OFFLOAD__ENABLED: "false",
      ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "6400",
      ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "7200",
      ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: "/srv/lro",
    };
    expect(readSettings({ env, file })).toMatchObject({
      values: { enabled: false, thresholdTokens: 6400, ttlSeconds: 7200, outputDir: "/srv/lro" },
      problems: [],
    });
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
