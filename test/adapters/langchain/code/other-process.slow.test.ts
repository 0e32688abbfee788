import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, expect, it } from "vitest";

import { caseOfTheDay } from "../../../of-the-day.js";
import { postgresAnswers } from "../../../store/servers.js";
import type { KeptIn } from "./restarted-agent.js";

const parent = mkdtempSync(join(tmpdir(), "offload-calls-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const agentModule = pathToFileURL(join(import.meta.dirname, "restarted-agent.ts")).href;
const kinds: readonly KeptIn[] = (await postgresAnswers()) ? ["files", "PostgreSQL"] : ["files"];

it.each(caseOfTheDay(kinds))(
  "a run of code that waits for a person is resumed by another process after the first was killed, kept in %s",
  (kept) => {
    const folder = join(parent, kept);
    mkdirSync(folder);
    const thread = { configurable: { thread_id: randomUUID() } };
    const inProcess = (input: string, end: string): ReturnType<typeof spawnSync> =>
      spawnSync(
        process.execPath,
        [
          "--import",
          "tsx",
          "--input-type=module",
          "-e",
          `import { Command } from "@langchain/langgraph";
           import { restartedAgent } from ${JSON.stringify(agentModule)};
           const agent = await restartedAgent(${JSON.stringify(folder)}, ${JSON.stringify(kept)});
           const result = await agent.invoke(${input}, ${JSON.stringify(thread)});
           console.log(JSON.stringify(result.__interrupt__ ?? result.messages.at(-1).text));
           ${end}`,
        ],
        { encoding: "utf8", timeout: 60_000 },
      );
    const deeds = (): string[] => readFileSync(`${folder}/deeds`, "utf8").trim().split("\n");

    const first = inProcess('{ messages: "go" }', 'process.kill(process.pid, "SIGKILL");');
    expect(first.signal).toBe("SIGKILL");
    expect(first.stdout).toContain('"name":"remove"');
    expect(deeds()).toEqual(["look one", "look two", "look three"]);

    const approved = 'new Command({ resume: { decisions: [{ type: "approve" }] } })';
    const second = inProcess(approved, "process.exit(0);");
    expect(second.stdout).toContain("remove it");
    expect(deeds()).toEqual(["look one", "look two", "look three", "remove it", "look after"]);

    // Nothing waits any more, so an answer that comes twice does nothing.
    inProcess(approved, "process.exit(0);");
    expect(deeds()).toHaveLength(5);
  },
  150_000,
);
