import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { withArm } from "../../eval/agent.js";
import { BY_HAND_ARMS } from "../../eval/by-hand/by-hand-arms.js";
import { holdTask } from "../../eval/by-hand/hold-task.js";
import { openResults } from "../../eval/by-hand/results.js";
import type { Action, Turn } from "../../eval/by-hand/seat-model.js";
import { replayPlays } from "../../eval/replay/replay.js";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { createTokenCounter } from "../../eval/tokens.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
let recorded = "";

/** Plays a task: a search, a filter that fails twice, which counts once, the output handed on, the answer. */
async function record(): Promise<string> {
  const directory = await makeDirectory();
  const [arm] = BY_HAND_ARMS;
  const task = PRACTICE.find(({ id }) => id === "hand-on-licences");
  if (arm === undefined || task === undefined) throw new Error("The arm or the task is gone.");
  const path = join(directory, "player.json");
  let step = 0;
  const ask = async ({ messages }: Turn): Promise<Action> => {
    const said = messages.map(({ text }) => text).join("\n");
    const { file_path: id } = JSON.parse(messages.find(({ type }) => type === "tool")?.text ?? "");
    const ids = { $output: id, jq: "select(.value.osiApproved) | .key" };
    const actions: Action[] = [
      { tool: "grep_tool_output", args: { id, pattern: "Apache", max_results: 2 } },
      { tool: "jq_tool_output", args: { id, filter: ".name(" } },
      { tool: "jq_tool_output", args: { id, filter: ".name(" } },
      { tool: "allow_licences", args: { ids } },
    ];
    return actions[step++] ?? { answer: /Receipt: (\w+)/.exec(said)?.[1] };
  };
  const counter = await createTokenCounter();
  const { signal } = new AbortController();
  const results = openResults(path, { arm: arm.name, player: "a test", versions: "" });
  results.add(
    await withArm(arm, 128_000, (store) => holdTask(task, ask, { arm, ...store, counter, signal })),
  );
  return readFileSync(path, "utf8");
}

async function replay(...files: readonly string[]): Promise<{ code: number; said: string }> {
  let said = "";
  const say = (text: string): void => void (said += text);
  const { signal } = new AbortController();
  const code = await replayPlays(["--replay", ...files], { out: say, err: say, signal });
  return { code, said };
}

/** A file with the recording, in which texts stand in the place of others. */
async function fileWith(...changes: readonly (readonly [RegExp, string])[]): Promise<string> {
  const path = join(await makeDirectory(), "other.json");
  let text = recorded;
  for (const [find, put] of changes) {
    expect(text).toMatch(find);
    text = text.replace(find, put);
  }
  writeFileSync(path, text);
  return path;
}

/** The digest of an answer, which goes with its text. */
const DIGEST = /(?<="text":"\d+ match.*?"digest":")\w+/;

describe("a replay of recorded plays", () => {
  beforeAll(async () => void (recorded = await record()));

  it("finds what was recorded, with other ids and another folder", async () => {
    expect(recorded).not.toMatch(/[0-7][0-9A-HJKMNP-TV-Z]{25}|\/tmp\//);
    const file = await fileWith();
    const { code, said } = await replay(file, file);
    expect(said).toMatch(/hand-on-licences \| +2\/2 \| +3 \|/);
    expect(said).not.toContain("FAULT");
    expect(code).toBe(0);
  });

  it("fails where an answer says other data, and shows the lines", async () => {
    const file = await fileWith([DIGEST, "0"], [/"text":"\d+ matching/, '"text":"7 matching']);
    const { code, said } = await replay(file);
    expect(said).toMatch(/^- 7 matching/m);
    expect(said).toMatch(/^\+ \d+ matching/m);
    expect(code).toBe(1);
  });

  it.each<[string, (readonly [RegExp, string])[], number, string]>([
    [
      "other words for no fault",
      [
        [DIGEST, "0"],
        [/(?<="text":"\d+ )matching/, "found"],
      ],
      0,
      "1 wording",
    ],
    ["an answer that is not right", [[/"answer":"\w+"/, '"answer":"none"']], 1, "hand-on-licences"],
    ["a task for none that there is", [[/"hand-on-licences"/, '"nothing"']], 2, "results.0.task"],
  ])("takes %s", async (_, changes, ends, sentence) => {
    const { code, said } = await replay(await fileWith(...changes));
    expect({ code, said }).toEqual({ code: ends, said: expect.stringContaining(sentence) });
  });
});
