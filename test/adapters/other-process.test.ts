import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, expect, it } from "vitest";

import { agentInFolder } from "./file-checkpointer.js";
import { question } from "./large-outputs.js";

const folder = mkdtempSync(join(tmpdir(), "offload-process-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a thread that waits for a person is resumed by another process, which drills in", async () => {
  const thread = { configurable: { thread_id: "t" } };
  const paused = await agentInFolder(folder).invoke(question, thread);
  expect(paused).toHaveProperty("__interrupt__");
  expect(readFileSync(join(folder, "checkpoints")).includes("visit 7919")).toBe(false);

  const agentModule = pathToFileURL(join(import.meta.dirname, "file-checkpointer.ts")).href;
  const script = `
    import { Command } from "@langchain/langgraph";
    import { agentInFolder } from ${JSON.stringify(agentModule)};
    const agent = agentInFolder(${JSON.stringify(folder)});
    const { messages } = await agent.invoke(new Command({ resume: "yes" }), ${JSON.stringify(thread)});
    console.log(messages.at(-1).text);
    process.exit(0);`;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const shown = execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  expect(shown).toContain('{"number":1,"city":"Rome","note":"visit 0"}');
}, 90_000);
