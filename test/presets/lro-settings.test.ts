import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { resolveOptions } from "../../src/core/options/resolve.js";
import { atlatl, lro } from "../../src/presets/index.js";
import { readSettings } from "../../src/presets/lro/settings.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const PREFIX = "ATLATL_PROMPT__OFFLOAD__";

async function fileWith(text: string | Uint8Array): Promise<string> {
  const file = join(await makeDirectory(), "atlatl.toml");
  await writeFile(file, text);
  return file;
}

it("settings are not looked for in this process's own environment", () => {
  process.env[`${PREFIX}ENABLED`] = "false";
  try {
    expect(readSettings({}).given).toEqual({});
  } finally {
    delete process.env[`${PREFIX}ENABLED`];
  }
});

const WHOLE = "a whole number from";
const PATH = "a path of at most 4096 characters without ~ in front, or empty";
/** Variables of the environment and lines of the file that cannot be used, and what is said of them. */
const PROBLEMS: readonly (readonly [env: string, toml: string, said: string])[] = [
  ["ENABLED=yes", "", `${PREFIX}ENABLED is "yes"; it must be true or false`],
  ["THRESHOLD_TOKENS=-1", "", `is "-1"; it must be ${WHOLE} 0 to 4294967295`],
  ["TTL_SECONDS=0", "", `is "0"; it must be ${WHOLE} 1 to 8000000000000`],
  ["OUTPUT_DIR=~/out", "", `is "~/out"; it must be ${PATH}`],
  ["OUTPUT_DIR=a\0b", "", `is "a\\u0000b"; it must be ${PATH}`],
  ["TTL=5", "", `no setting ${PREFIX}TTL;`],
  ["", '[prompt.offload]\nenabled = "true"', 'is "true"; it must be true or false'],
  ["", "[prompt.offload]\nthreshold_tokens = 9223372036854775807", "cannot be read at line 2: "],
  ["", "[prompt.offload]\nttl_seconds = nan", "is NaN; it must be"],
  ["", "[prompt.offload]\ntreshold_tokens = 5", "no setting prompt.offload.treshold_tokens in"],
  ["", "[prompt.offload]\n__proto__ = { x = 1 }", "no setting prompt.offload.__proto__ in"],
  ["", "[[prompt.offload]]\nenabled = false", "offload in "],
  ["", "[prompt.offload]\nenabled = false\nttl_seconds = = 5", "cannot be read at line 3: "],
];

it.each(PROBLEMS)(
  "rule 58: a setting that cannot be used is named and ignored: %j of the environment or %j",
  async (variable, toml, said) => {
    const [name = "", text] = variable.split("=");
    const env = text === undefined ? {} : { [PREFIX + name]: text };
    const file = await fileWith(toml);
    const { given, problems } = readSettings({ env, file });
    expect(given).toEqual({});
    expect(problems).toEqual([expect.stringMatching(/\. It is ignored\.$/)]);
    expect(problems[0]).toContain(said);
    expect(problems[0]).toContain(text === undefined ? file : PREFIX + name);
  },
);

describe("a file that is no settings file", () => {
  it("because it is missing, a directory or no UTF-8 is ignored and named", async () => {
    const directory = await makeDirectory();
    await mkdir(join(directory, "folder"));
    const files = [
      join(directory, "missing.toml"),
      join(directory, "folder"),
      await fileWith(Uint8Array.of(0x61, 0xff)),
      "a\0b",
    ];
    for (const file of files) {
      const { given, problems } = readSettings({ file });
      expect(given).toEqual({});
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`${file} cannot be read: `);
    }
  });

  it("because it has no such section changes nothing, without a problem", async () => {
    for (const text of ["", "[server]\nport = 1\n", "\uFEFF[prompt]\nother = 1\n"]) {
      expect(readSettings({ file: await fileWith(text) })).toMatchObject({
        given: {},
        problems: [],
      });
    }
  });
});

it("rule 58: settings in lro() and atlatl() come before the defaults, and after every option that is given", () => {
  const env = {
    [`${PREFIX}ENABLED`]: "false",
    [`${PREFIX}THRESHOLD_TOKENS`]: "10",
    [`${PREFIX}TTL_SECONDS`]: "5",
  };
  const inForce = (options: OffloadOptions): unknown[] => {
    const { enabled, thresholdTokens, textGates, ttlMs } = resolveOptions(options);
    return [enabled, thresholdTokens, textGates?.length, ttlMs];
  };
  for (const preset of [lro({ env }), atlatl({ env })])
    expect(inForce({ preset })).toEqual([false, 10, undefined, 5000]);
  const own = { enabled: true, threshold: { bytes: 8192 }, retention: { ttlMs: 1500 } };
  expect(inForce({ preset: lro({ env }), ...own })).toEqual([true, undefined, undefined, 1500]);
  const stated = { [`${PREFIX}THRESHOLD_TOKENS`]: "1600" };
  expect(inForce({ preset: lro({ env: stated }) })[2]).toBeUndefined();
});
