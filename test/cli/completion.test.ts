import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { COMMANDS } from "../../src/cli/commands.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { MAIN, runHere, runProcess } from "./run-command.js";
import { ISSUES_ID, LOG_ID, storeIssues } from "./stored-issues.js";

const makeDirectory = temporaryDirectories();

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout } = await runHere(["completion", shell]);
  expect(code).toBe(0);
  return stdout;
}

/** What bash offers for the last of the words. */
async function offered(words: readonly string[], home: string, outputs: string): Promise<string[]> {
  const program = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  await mkdir(join(home, "bin"), { recursive: true });
  await writeFile(join(home, "bin/langchain-offload"), program, { mode: 0o755 });
  await writeFile(join(home, "script"), await scriptOf("bash"));
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const line = `source '${home}/script'; complete -p langchain-offload >/dev/null; cd '${home}'
    COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}; _langchain_offload; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout, stderr } = await runProcess(
    [line],
    { PATH: `${home}/bin:${process.env["PATH"]}`, ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: outputs },
    ["bash", "--norc", "-c"],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion", () => {
  it("offers commands, options, ids and directories in bash", async () => {
    const home = await makeDirectory();
    const outputs = await makeDirectory();
    await storeIssues(outputs);
    await mkdir(join(home, "my outputs"));
    const offer = (...words: string[]) => offered(["langchain-offload", ...words], home, outputs);
    expect(await offer("s")).toEqual(["show", "sql", "stats"]);
    expect(await offer("")).toEqual([...COMMANDS.map(({ name }) => name), "--help", "--version"]);
    expect(await offer("grep", "--m")).toEqual(["--max-results", "--max-tokens"]);
    expect(await offer("show", "")).toEqual([ISSUES_ID, LOG_ID]);
    expect(await offer("show", "01KDX0A")).toEqual([ISSUES_ID]);
    expect(await offer("show", ISSUES_ID, "")).toEqual([]);
    expect(await offer("completion", "z")).toEqual(["zsh"]);
    expect(await offer("ls", "--directory", "my")).toEqual(["my outputs"]);
    expect(await offer("ls", "--session", "")).toEqual([]);
  }, 120_000);

  it.each(["bash", "zsh", "fish"])("knows every command and option in %s", async (shell) => {
    const script = await scriptOf(shell);
    for (const { name, summary, load } of COMMANDS) {
      const { options } = await load();
      if (shell !== "bash") expect(script).toContain(summary);
      const line = script
        .split("\n")
        .filter((line) => line.includes(`${name}) `) || line.includes(`from ${name}'`));
      const written = shell === "fish" ? "-l " : "--";
      for (const option of [...Object.keys(options), "help"])
        expect(line.join("\n")).toContain(`${written}${option}`);
    }
    const { stdout } = await runHere(["completion", shell, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ shell, script });
  });

  it("prints scripts that the shells of this machine can read", async () => {
    const home = await makeDirectory();
    const checks = { bash: "-n", zsh: "-n", fish: "--no-execute" };
    const read: string[] = [];
    for (const [shell, flag] of Object.entries(checks)) {
      const file = join(home, shell);
      await writeFile(file, await scriptOf(shell));
      try {
        execFileSync(shell, ["--version"], { stdio: "ignore" });
      } catch {
        continue;
      }
      expect(execFileSync(shell, [flag, file], { encoding: "utf8" })).toBe("");
      read.push(shell);
    }
    expect(read).toContain("bash");
  });

  it("refuses a shell that it has no script for", async () => {
    expect(await runHere(["completion", "zhs"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'There is no script for "zhs"; there are bash, zsh, fish.\nSee langchain-offload completion --help.\n',
    });
  });
});
