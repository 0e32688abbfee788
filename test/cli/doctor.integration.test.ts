import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { satisfies } from "../../src/cli/doctor.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { runHere, runProcess } from "./run-command.js";

const makeDirectory = temporaryDirectories();

interface Report {
  readonly version: string;
  readonly checks: readonly { name: string; state: string; detail: string }[];
  readonly faults: number;
}

describe("doctor", () => {
  it("finds nothing wrong where nothing is, and makes nothing", async () => {
    const parent = await makeDirectory();
    const directory = join(parent, "outputs");
    const { code, stdout, stderr } = await runProcess(["doctor", "--directory", directory]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^langchain-offload \d+\.\d+\.\d+\n\n/);
    expect(stdout).toMatch(/^ok +langchain +1\.\d+\.\d+ \(optional, \^1\.\d+\.\d+\)$/m);
    expect(stdout).toMatch(/\n0 faults, /);
    expect(await readdir(parent)).toEqual([]);
  });

  it("says which settings are in force and where each came from", async () => {
    const directory = await makeDirectory();
    const config = join(directory, "atlatl.toml");
    const section = "[prompt.offload]\nthreshold_tokens = 6_400\nttl_seconds = 0\n";
    await writeFile(config, section);
    const env = {
      ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory,
      ATLATL_PROMPT__OFFLOAD__TTL: "5\u001b",
    };
    const { code, stdout, stderr } = await runHere(["doctor", "--config", config, "--json"], {
      env,
    });
    const report = JSON.parse(stdout) as Report;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const detailOf = (key: string) => report.checks.find(({ name }) => name === key)?.detail;
    expect(detailOf("enabled")).toBe("true (default)");
    expect(detailOf("threshold_tokens")).toBe(`6400 (${config})`);
    expect(detailOf("ttl_seconds")).toBe("3600 (default)");
    expect(detailOf("output_dir")).toBe(`${directory} (ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR)`);
    const warnings = report.checks.filter(({ name }) => name === "settings");
    expect(warnings.map(({ state }) => state)).toEqual(["warning", "warning"]);
    expect(warnings[0]?.detail).toContain("ttl_seconds");
    expect(warnings[1]?.detail).toContain("There is no variable");
    const option = await runHere(["doctor", "--directory", directory], { env });
    expect(option.stdout).toContain(`${directory} (--directory)\n`);
    expect(option.stdout).toContain("1600 (default; 6400 without records)\n");
    expect(option.stdout).not.toContain("\u001b");
  });

  it.each([
    ["20.19.0", ">=20.19", true],
    ["20.18.9", ">=20.19", false],
    ["24.0.0", ">=20.19", true],
    ["1.2.13", "^1.2.13", true],
    ["1.2.12", "^1.2.13", false],
    ["1.10.0", "^1.2.13", true],
    ["2.0.0", "^1.2.13", false],
    ["6.3.1", "^5.0.0 || ^6.0.0", true],
    ["4.9.9", "^5.0.0 || ^6.0.0", false],
    ["no version", "^1.0.0", false],
  ])("%s is in %s: %s", (version, range, isIn) => {
    expect(satisfies(version, range)).toBe(isIn);
  });
});
