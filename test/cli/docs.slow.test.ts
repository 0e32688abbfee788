import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { COMMANDS } from "../../src/cli/commands.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { MAIN, runProcess } from "./run-command.js";
import { storeIssues } from "./stored-issues.js";

const makeDirectory = temporaryDirectories();

interface Block {
  readonly commands: string;
  /** What the page shows as the output. */
  readonly shown: string | undefined;
}

async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const fences = /```sh\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g;
  return [...text.matchAll(fences)].map(([, commands = "", shown]) => ({ commands, shown }));
}

/** What differs from run to run. */
function steady(text: string, directory: string): string {
  return text
    .replaceAll(directory, "/var/lib/my-agent/outputs")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/in 59 min|in 1 h/g, "in 59 min");
}

describe("docs/cli.md", async () => {
  const blocks = await blocksOf("cli.md");

  it("shows every command", () => {
    const all = blocks.map(({ commands }) => commands).join("");
    for (const { name } of COMMANDS) expect(all).toContain(`langchain-offload ${name}`);
    expect(blocks.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(2);
  });

  it.each(blocks)(
    "shows commands that run, and what they print: $commands",
    async (block) => {
      const directory = await makeDirectory();
      const work = await makeDirectory();
      await storeIssues(directory);
      await mkdir(join(work, "bin"));
      const main = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
      await writeFile(join(work, "bin/langchain-offload"), main, { mode: 0o755 });
      await writeFile(join(work, "atlatl.toml"), `[prompt.offload]\noutput_dir = "${directory}"\n`);
      const start = `set -eo pipefail; npx() { "$@"; }; cd '${work}'\n`;
      const { code, stdout, stderr } = await runProcess(
        [start + block.commands],
        {
          PATH: `${work}/bin:${process.env["PATH"]}`,
          OUTPUTS: directory,
          ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory,
        },
        ["bash", "-c"],
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      if (block.shown !== undefined)
        expect(steady(stdout, directory)).toBe(steady(block.shown, directory));
    },
    120_000,
  );
});
