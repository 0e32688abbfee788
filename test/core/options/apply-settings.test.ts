import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { applySettings, toOptions } from "../../../src/core/options/apply-settings.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { resolveOptions } from "../../../src/core/options/resolve-options.js";
import { atlatl } from "../../../src/presets/atlatl/atlatl.js";
import { lro } from "../../../src/presets/lro.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { temporaryDirectories } from "../store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const DEFAULTS = { enabled: true, thresholdTokens: 1600, ttlSeconds: 3600, outputDir: "" };
const env = {
  ATLATL_PROMPT__OFFLOAD__ENABLED: "false",
  ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "10",
  ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "5",
  ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: join(tmpdir(), "from-environment"),
};

afterEach(() => vi.restoreAllMocks());

describe("settings as options", () => {
  it("rule 57: the default settings are the default options", () => {
    const { enabled, thresholdTokens, ttlMs, store } = resolveOptions(toOptions(DEFAULTS));
    const defaults = resolveOptions();
    expect({ enabled, thresholdTokens, ttlMs, store: store.name }).toEqual({
      enabled: defaults.enabled,
      thresholdTokens: defaults.thresholdTokens,
      ttlMs: defaults.ttlMs,
      store: defaults.store.name,
    });
  });

  it("rule 57: an offloader with them stores in output_dir, above threshold_tokens, for ttl_seconds", async () => {
    const outputDir = join(await makeDirectory(), "out");
    const settings = { enabled: true, thresholdTokens: 10, ttlSeconds: 7, outputDir };
    const offloader = createOffloader(toOptions(settings));
    const walk = (tokens: number) =>
      offloader.offload({ toolName: "t", value: " token".repeat(tokens), sessionId: "s" });
    expect((await walk(10)).outcome).toBe("inline");
    const result = await walk(11);
    await offloader.close();
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    expect(result.storedArtifact.filePath).toContain(outputDir);
    expect(result.storedArtifact.expiresAt - result.storedArtifact.createdAt).toBe(7000);
  });

  it("rule 59: enabled = false leaves every output as it came", async () => {
    const offloader = createOffloader(toOptions({ ...DEFAULTS, enabled: false }));
    const value = " token".repeat(5000);
    const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
    expect(result).toEqual({ outcome: "inline", value });
    await offloader.close();
  });
});

describe("settings under options", () => {
  it("rule 58: fill what no option gives, and say so", () => {
    const { options, effective, problems } = applySettings<OffloadOptions>(
      { describe: { form: "bare" } },
      { env },
    );
    expect(resolveOptions(options)).toMatchObject({
      enabled: false,
      thresholdTokens: 10,
      ttlMs: 5000,
      describe: { form: "bare" },
      store: { name: "file" },
    });
    expect(effective).toEqual({
      enabled: { value: false, source: "environment" },
      thresholdTokens: { value: 10, source: "environment" },
      ttlSeconds: { value: 5, source: "environment" },
      outputDir: { value: env.ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR, source: "environment" },
    });
    expect(problems).toEqual([]);
  });

  it("rule 58: fill what the presets of the specification leave open", () => {
    const of = (preset: OffloadOptions, config?: OffloadOptions["config"]): object => {
      const { thresholdTokens, ttlMs, effective } = resolveOptions({
        ...preset,
        ...(config && { config }),
      });
      return { thresholdTokens, ttlMs, outputDir: effective.outputDir.value };
    };
    const outputDir = env.ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR;
    expect(of(lro())).toEqual({ thresholdTokens: 1600, ttlMs: 3_600_000, outputDir: "" });
    expect(of(lro(), { env })).toEqual({ thresholdTokens: 10, ttlMs: 5000, outputDir });
    // Its threshold is a default, as life and directory are.
    expect(of(atlatl())).toEqual({ thresholdTokens: 6400, ttlMs: 3_600_000, outputDir: "" });
    expect(of(atlatl(), { env })).toEqual({ thresholdTokens: 10, ttlMs: 5000, outputDir });
  });

  it("rule 58: give way to every option that is given", () => {
    const store = memoryStore();
    const given: OffloadOptions = {
      enabled: true,
      decide: { threshold: { tokens: 0 } },
      retention: { ttlMs: 1500 },
      store,
    };
    const { options, effective } = applySettings(given, { env });
    expect(options).toEqual(given);
    expect(options.store).toBe(store);
    expect(effective).toEqual({
      enabled: { value: true, source: "option" },
      thresholdTokens: { value: 0, source: "option" },
      ttlSeconds: { value: 1.5, source: "option" },
      outputDir: { value: undefined, source: "option" },
    });
  });

  it("leave a threshold in another unit alone", () => {
    const given = { decide: { threshold: { bytes: 8192 } } };
    const { options, effective } = applySettings(given, { env });
    expect(options.decide).toEqual({ threshold: { bytes: 8192 } });
    expect(effective.thresholdTokens).toEqual({ value: undefined, source: "option" });
  });

  it("leave the default to the options, which know of outputs without records", () => {
    const { options, defaults, effective } = applySettings<OffloadOptions>({}, {});
    expect(options.decide).toEqual({});
    expect(defaults).not.toHaveProperty("threshold");
    expect(effective.thresholdTokens).toEqual({ value: 1600, source: "default" });
    const stated = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "1600" };
    const textGates = (config: OffloadOptions["config"]): number | undefined =>
      resolveOptions({ ...(config && { config }) }).textGates?.length;
    expect([textGates(undefined), textGates({ env: {} }), textGates({ env: stated })]).toEqual([
      1,
      1,
      undefined,
    ]);
  });

  it("name no store when nobody gives a directory", () => {
    const { options, effective } = applySettings<OffloadOptions>({}, {});
    expect(options).not.toHaveProperty("store");
    expect(effective.outputDir).toEqual({ value: "", source: "default" });
  });

  it("rule 58: warn of each problem and use the next value", () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const bad = { ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "soon", ATLATL_PROMPT__OFFLOAD__X: "" };
    const { options, problems } = applySettings<OffloadOptions>({}, { env: bad });
    expect(options.retention).toEqual({ ttlMs: 3_600_000 });
    expect(problems).toHaveLength(2);
    expect(warn.mock.calls).toEqual(problems.map((text) => [text, "OffloadConfigWarning"]));
  });
});
