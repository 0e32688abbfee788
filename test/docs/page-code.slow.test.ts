import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, describe, expect, it } from "vitest";

import { fetchedOrSkipped, linkFetched } from "../../scripts/fetched.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../core/store/servers.js";
import { writeCommands } from "./page-commands.js";
import { startScriptedProvider } from "./scripted-provider.js";
import { GIVEN, type PageCode, ROOT, RUN_PAGES, typeErrors, writePageCode } from "./page-code.js";

const FOLDER = join(ROOT, ".page-code");
// By a name that the compiler does not follow: `given.ts` is checked as the pages are, with inferred types.
const given = (await import(GIVEN)) as object;
const all = writePageCode(FOLDER, Object.keys(given));
const clients = fetchedOrSkipped(() => linkFetched("page-clients", FOLDER));
const needsClient = /from "(?:ai|openai|@ai-sdk\/openai|@anthropic-ai\/sdk)"/;
const unserved = clients ? [] : all.filter(({ code }) => needsClient.test(code));
for (const { file } of unserved) rmSync(file);
const blocks = all.filter((block) => !unserved.includes(block));
const suites = blocks.filter(({ code }) => code.includes('from "vitest"'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe("the code of the pages", async () => {
  const missing = [
    ...((await postgresAnswers()) ? [] : ["PG_URL"]),
    ...((await redisAnswers()) ? [] : ["REDIS_URL"]),
  ];
  const env = {
    ...process.env,
    PG_URL,
    REDIS_URL,
    PATH: `${writeCommands(FOLDER)}:${process.env["PATH"]}`,
  };

  it("compiles as it stands in a strict project", { timeout: 120_000 }, () => {
    expect(typeErrors(FOLDER)).toEqual([]);
  });

  const needsServer = ({ code }: PageCode): boolean => missing.some((name) => code.includes(name));
  const toRun = blocks.filter((block) => !suites.includes(block) && !needsServer(block));

  it(`runs: ${toRun.length} blocks`, { timeout: 120_000 }, async () => {
    const files = toRun.map(({ file }) => file);
    const args = ["--import", "tsx", RUN_PAGES, ...files];
    const provider = await startScriptedProvider();
    const run = promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, ...provider.env },
    });
    run.child.stdin?.end();
    const { stdout } = await run.finally(() => provider.close());
    // Each loop called the tool, asked jq over what was stored, and has the answer.
    const answers = provider.steps.filter((step) => "answer" in step);
    const answer = 'Orders by state: {"closed":100,"open":200}';
    expect(answers).toEqual(clients ? [{ answer }, { answer }, { answer }] : []);
    expect(stdout).toContain(`${files.length} blocks ran`);
  });

  for (const { place } of unserved) it.skip(`${place} needs clients of models`);
  for (const { place } of blocks.filter(needsServer))
    it.skip(`${place} needs ${missing.join(" and ")}`);

  for (const { place, file } of suites) describe(place, async () => void (await import(file)));
});
