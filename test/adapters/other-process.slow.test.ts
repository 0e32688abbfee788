import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, expect, it } from "vitest";

import { agentInFolder, type SavedIn } from "./file-checkpointer.js";
import { question } from "./large-outputs.js";

const parent = mkdtempSync(join(tmpdir(), "offload-process-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** All that was written of the checkpoints: a database has a log beside it. */
const checkpointsIn = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder)
      .filter((name) => name.startsWith("checkpoints"))
      .map((name) => readFileSync(join(folder, name))),
  );

it.each<SavedIn>(["file", "SQLite"])(
  "a thread that waits for a person, saved in %s, is resumed by another process, which drills in",
  async (saved) => {
    const folder = join(parent, saved);
    mkdirSync(folder);
    const thread = { configurable: { thread_id: "t" } };
    const paused = await agentInFolder(folder, saved).invoke(question, thread);
    expect(paused).toHaveProperty("__interrupt__");
    const checkpoints = checkpointsIn(folder);
    expect(checkpoints.includes("list_rows")).toBe(true);
    expect(checkpoints.includes("visit 7919")).toBe(false);

    const agentModule = pathToFileURL(join(import.meta.dirname, "file-checkpointer.ts")).href;
    const script = `
      import { Command } from "@langchain/langgraph";
      import { agentInFolder } from ${JSON.stringify(agentModule)};
      const agent = agentInFolder(${JSON.stringify(folder)}, ${JSON.stringify(saved)});
      const { messages } = await agent.invoke(new Command({ resume: "yes" }), ${JSON.stringify(thread)});
      console.log(messages.at(-1).text);
      process.exit(0);`;
    const args = ["--import", "tsx", "--input-type=module", "-e", script];
    const shown = execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
    expect(shown).toContain('{"number":1,"city":"Rome","note":"visit 0"}');
  },
  90_000,
);
