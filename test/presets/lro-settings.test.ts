import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { resolveOptions } from "../../src/core/options/resolve.js";
import { atlatl, lro } from "../../src/presets/index.js";
import { readSettings, SETTING_RULES, type Settings } from "../../src/presets/lro/settings.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const SETTING_KEYS = SETTING_RULES.map(({ name }) => name);
const PREFIX = "ATLATL_PROMPT__OFFLOAD__";
const DEFAULTS = { enabled: true, thresholdTokens: 1600, ttlSeconds: 3600, outputDir: "" };

async function fileWith(text: string | Uint8Array): Promise<string> {
  const file = join(await makeDirectory(), "atlatl.toml");
  await writeFile(file, text);
  return file;
}

describe("settings", () => {
  it("rule 58: come from the four variables of the environment", () => {
    const env = {
      [`${PREFIX}ENABLED`]: "False",
      [`${PREFIX}THRESHOLD_TOKENS`]: " 0 ",
      [`${PREFIX}TTL_SECONDS`]: "8_000_000_000_000",
      [`${PREFIX}OUTPUT_DIR`]: "/tmp/with space",
      OTHER: "x",
    };
    const values = {
      enabled: false,
      thresholdTokens: 0,
      ttlSeconds: 8_000_000_000_000,
      outputDir: "/tmp/with space",
    };
    expect(readSettings({ env })).toEqual({
      values,
      given: values,
      problems: [],
    });
  });

  it("are not looked for in this process's own environment", () => {
    process.env[`${PREFIX}ENABLED`] = "false";
    try {
      expect(readSettings({}).values.enabled).toBe(true);
    } finally {
      delete process.env[`${PREFIX}ENABLED`];
    }
  });

  it("rule 58: prefer the environment to the file and the file to the default, one by one", async () => {
    const texts: { readonly [Key in keyof Settings]: readonly [string, string, string] } = {
      enabled: ["enabled", "false", "true"],
      thresholdTokens: ["threshold_tokens", "11", "22"],
      ttlSeconds: ["ttl_seconds", "33", "44"],
      outputDir: ["output_dir", '"/file"', "/environment"],
    };
    const place = fc.constantFrom("default", "file", "environment", "both", "bad environment");
    const places = fc.record(Object.fromEntries(SETTING_KEYS.map((key) => [key, place])));
    const file = await fileWith("");
    await fc.assert(
      fc.asyncProperty(places, async (chosen) => {
        const lines = ["[prompt.offload]"];
        const env: Record<string, string> = {};
        const expected: Record<string, string> = {};
        for (const key of SETTING_KEYS) {
          const [name, inFile, inEnvironment] = texts[key];
          const where = chosen[key];
          const inBoth = where === "both" || where === "bad environment";
          if (where === "file" || inBoth) lines.push(`${name} = ${inFile}`);
          if (where === "environment" || where === "both") {
            env[PREFIX + name.toUpperCase()] = inEnvironment;
          }
          if (where === "bad environment") env[PREFIX + name.toUpperCase()] = "~ no";
          expected[key] =
            where === "both" ? "environment" : where === "bad environment" ? "file" : (where ?? "");
        }
        await writeFile(file, lines.join("\n"));
        const { values, given, problems } = readSettings({ env, file });
        const told = SETTING_KEYS.filter((key) => expected[key] !== "default");
        expect(Object.keys(given)).toEqual(told);
        for (const key of SETTING_KEYS) {
          const [, inFile, inEnvironment] = texts[key];
          const text = {
            default: String(DEFAULTS[key]),
            file: inFile.replaceAll('"', ""),
            environment: inEnvironment,
          }[expected[key] ?? ""];
          expect(String(values[key])).toBe(text);
        }
        expect(problems).toHaveLength(
          SETTING_KEYS.filter((key) => chosen[key] === "bad environment").length,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("a bad value", () => {
  it.each([
    ["ENABLED", "yes", "true or false"],
    ["THRESHOLD_TOKENS", "-1", "a whole number from 0 to 4294967295"],
    ["THRESHOLD_TOKENS", "4294967296", "a whole number from 0 to 4294967295"],
    ["THRESHOLD_TOKENS", "0x10", "a whole number from 0 to 4294967295"],
    ["TTL_SECONDS", "0", "a whole number from 1 to 8000000000000"],
    ["TTL_SECONDS", "8000000000001", "a whole number from 1 to 8000000000000"],
    ["OUTPUT_DIR", "~/out", "a path of at most 4096 characters without ~ in front, or empty"],
    ["OUTPUT_DIR", "a\0b", "a path of at most 4096 characters without ~ in front, or empty"],
  ])("rule 58: %s=%j of the environment is named and ignored", (name, text, allowed) => {
    const { values, given, problems } = readSettings({ env: { [PREFIX + name]: text } });
    expect(values).toEqual(DEFAULTS);
    expect(given).toEqual({});
    expect(problems).toEqual([
      `${PREFIX}${name} is ${JSON.stringify(text)}; it must be ${allowed}. It is ignored.`,
    ]);
  });

  it.each([
    ['enabled = "true"', "enabled", '"true"'],
    ["threshold_tokens = 9223372036854775807", "threshold_tokens", "9223372036854775807"],
    ['threshold_tokens = "1600"', "threshold_tokens", '"1600"'],
    ["ttl_seconds = 0.5", "ttl_seconds", "0.5"],
    ["ttl_seconds = nan", "ttl_seconds", "NaN"],
    ["output_dir = [9223372036854775807]", "output_dir", '["9223372036854775807"]'],
    ["output_dir = 2026-01-01", "output_dir", '"2026-01-01"'],
  ])("rule 58: %s of the file is named and ignored", async (line, key, shown) => {
    const file = await fileWith(`[prompt.offload]\n${line}\n`);
    const { values, problems } = readSettings({ file });
    expect(values).toEqual(DEFAULTS);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`prompt.offload.${key} in ${file} is ${shown}; it must be `);
  });

  it("is shown shortened", () => {
    const env = { [`${PREFIX}ENABLED`]: "x".repeat(100_000) };
    expect(readSettings({ env }).problems[0]?.length).toBeLessThan(300);
  });

  it.each([
    ["[prompt.offload]\ntreshold_tokens = 5\n", 'has no key "treshold_tokens"; it has enabled'],
    ["[prompt.offload]\n__proto__ = { enabled = false }\n", 'has no key "__proto__"'],
    ["prompt = 5\n", "prompt in "],
    ["[prompt]\noffload = [1]\n", "prompt.offload in "],
    ["[[prompt.offload]]\nenabled = false\n", "prompt.offload in "],
  ])("misspelt or misplaced, as in %j, is named", async (text, words) => {
    const { values, problems } = readSettings({ file: await fileWith(text) });
    expect(values).toEqual(DEFAULTS);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  it("is a variable that does not exist", () => {
    const { problems } = readSettings({ env: { [`${PREFIX}TTL`]: "5" } });
    expect(problems).toEqual([expect.stringContaining(`no variable "${PREFIX}TTL"`)]);
  });
});

describe("a file that is no settings file", () => {
  it("with a syntax error is ignored, and the problem says line and column", async () => {
    const file = await fileWith("[prompt.offload]\nenabled = false\nttl_seconds = = 5\n");
    const { values, problems } = readSettings({ file });
    expect(values).toEqual(DEFAULTS);
    expect(problems).toEqual([
      expect.stringMatching(/^.* is not valid TOML at line 3, column \d+: .*\. It is ignored\.$/),
    ]);
  });

  it("because it is missing, a directory, a device, too large or no UTF-8 is ignored and named", async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, "folder"));
    const files = [
      join(directory, "missing.toml"),
      join(directory, "folder"),
      "/dev/zero",
      await fileWith(new Uint8Array(1024 * 1024 + 1)),
      await fileWith(Uint8Array.of(0x61, 0xff)),
      "a\0b",
    ];
    for (const file of files) {
      const { values, problems } = readSettings({ file });
      expect(values).toEqual(DEFAULTS);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`${file} cannot be read: `);
    }
  });

  it("because it has no such section changes nothing, without a problem", async () => {
    for (const text of ["", "[server]\nport = 1\n", "\uFEFF[prompt]\nother = 1\n"]) {
      expect(readSettings({ file: await fileWith(text) })).toMatchObject({
        values: DEFAULTS,
        problems: [],
      });
    }
  });

  it("gives problems, never an exception, whatever stands in it", async () => {
    const file = await fileWith("");
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a=".repeat(9), "[".repeat(5000))),
        async (text) => {
          await writeFile(file, `[prompt.offload]\n${text}`);
          expect(readSettings({ file }).values.ttlSeconds).toBe(3600);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("settings in lro() and atlatl()", () => {
  const outputDir = join(tmpdir(), "from-environment");
  const env = {
    [`${PREFIX}ENABLED`]: "false",
    [`${PREFIX}THRESHOLD_TOKENS`]: "10",
    [`${PREFIX}TTL_SECONDS`]: "5",
    [`${PREFIX}OUTPUT_DIR`]: outputDir,
  };
  const inForce = (options: OffloadOptions): object => {
    const { enabled, thresholdTokens, textGates, ttlMs } = resolveOptions(options);
    return { enabled, thresholdTokens, textGates: textGates?.length, ttlMs };
  };
  const byEnvironment = { enabled: false, thresholdTokens: 10, textGates: undefined, ttlMs: 5000 };
  const byDefault = { enabled: true, thresholdTokens: 1600, textGates: 1, ttlMs: 3_600_000 };

  it("rule 57: are the defaults of the options where nothing is given", () => {
    expect(inForce({})).toEqual(byDefault);
    expect(inForce({ preset: lro() })).toEqual(byDefault);
    const older = { ...byDefault, thresholdTokens: 6400, textGates: undefined };
    expect(inForce({ preset: atlatl() })).toEqual(older);
  });

  it("rule 58: come before the defaults, and after every option that is given", () => {
    expect(inForce({ preset: lro({ env }) })).toEqual(byEnvironment);
    expect(inForce({ preset: atlatl({ env }) })).toEqual(byEnvironment);
    const own = { enabled: true, threshold: { bytes: 8192 }, retention: { ttlMs: 1500 } };
    expect(inForce({ preset: lro({ env }), ...own })).toEqual({
      enabled: true,
      thresholdTokens: undefined,
      textGates: undefined,
      ttlMs: 1500,
    });
    const stated = { [`${PREFIX}THRESHOLD_TOKENS`]: "1600" };
    expect(inForce({ preset: lro({ env: stated }) })).toMatchObject({ textGates: undefined });
  });

  it("rule 58: warn of each problem and use the next value", () => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const bad = { [`${PREFIX}TTL_SECONDS`]: "soon", [`${PREFIX}X`]: "" };
    expect(inForce({ preset: lro({ env: bad }) })).toEqual(byDefault);
    expect(warn.mock.calls.map(([, type]) => type)).toEqual(Array(2).fill("OffloadConfigWarning"));
    vi.restoreAllMocks();
  });
});
