import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { byHand } from "../../eval/by-hand/by-hand.js";
import type { ResultsFile } from "../../eval/by-hand/results.js";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();

/** Starts the command and waits for its address. */
async function start(args: readonly string[]) {
  let said = "";
  const ending = new AbortController();
  let found: (url: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => (found = resolve));
  const ended = byHand(["--by-hand", "--http", ...args], {
    out(text) {
      said += text;
      const [at] = /http:\/\/\S+/.exec(text) ?? [];
      if (at !== undefined) found(at);
    },
    err: (text) => void (said += text),
    signal: ending.signal,
  });
  return { url: await address, ended, said: () => said };
}

async function post(url: string, body: unknown) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, body: await response.text() };
}

it("a task by hand over HTTP is played with the agent's own tools, scored, counted and recorded", async () => {
  const file = join(await makeDirectory(), "results.json");
  const tasks = ["hand-on-alerts", "csv-rainy-run"];
  const args = ["--tasks", tasks.join(","), "--results", file, "--player", "a test"];
  const { url, ended, said } = await start(args);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);

  const first = await (await fetch(url)).text();
  const view = JSON.parse(first);
  expect(view.task).toEqual({ id: "csv-rainy-run", number: 1, of: 2 });
  const roles = view.messages.map(({ role }: { role: string }) => role);
  expect(roles.join(" ")).toBe("system human ai tool");
  expect(view.tools.map(({ name }: { name: string }) => name)).toContain("jq_tool_output");
  const { file_path: id } = JSON.parse(view.messages[3].content);
  expect((await post(url, { tool: "nothing" })).status).toBe(400);
  expect((await post(url, "text")).status).toBe(400);
  expect((await fetch(`${url}0`)).status).toBe(404);
  expect((await fetch(url, { method: "PUT" })).status).toBe(405);
  const asked = { tool: "jq_tool_output", args: { id, slurp: true, filter: "length" } };
  const counted = await post(url, asked);
  expect(JSON.parse(counted.body).answers[0]).toMatch(/^1461\n/);
  const next = JSON.parse((await post(url, { answer: "12" })).body).next;

  expect(next.task).toEqual({ id: "hand-on-alerts", number: 2, of: 2 });
  const { file_path: quakes } = JSON.parse(next.messages[3].content);
  const filter =
    ".features[]? // . | select(.properties.mag >= 4) | {id, mag: .properties.mag, place: .properties.place}";
  const alerts = { $output: quakes, jq: filter };
  const published = await post(url, { tool: "publish_alerts", args: { alerts } });
  const [receipt = ""] = /(?<=Receipt: )\w+/.exec(published.body) ?? [];
  expect(JSON.parse((await post(url, { answer: receipt })).body)).toEqual({
    ended: "recorded",
    next: { over: true },
  });
  expect(await ended).toBe(0);

  const recorded: ResultsFile = JSON.parse(readFileSync(file, "utf8"));
  expect(recorded).toMatchObject({ arm: "ours", player: "a test" });
  const [wrong, right] = recorded.results;
  const answered = { right: false, calls: 1, given: "12", ending: "answered" };
  expect(wrong).toMatchObject({ task: "csv-rainy-run", ...answered });
  expect(right).toMatchObject({ task: "hand-on-alerts", right: true, calls: 1 });
  // Two steps read the descriptor and the definitions each.
  expect(wrong?.inputTokens).toBeGreaterThan(1_500);
  expect(said()).toMatch(/\| hand-on +\| +1\/1; 1\.0; [\d,]+ \|/);
  // Neither what was shown nor what was said tells an answer that the player has not found.
  const task = PRACTICE.find((one) => one.id === "hand-on-alerts");
  expect(receipt).toBe(task?.answer());
  expect(first + JSON.stringify(next)).not.toContain(receipt);
});
