import { setTimeout } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import { type Asking, createAsking } from "../../src/inspect/data/ask.js";
import { createCatalogue } from "../../src/inspect/data/catalogue.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const opened: Asking[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((asking) => asking.close()));
});

it("a question about one session's output ends no question about another's", async () => {
  const directory = await makeDirectory();
  const offloader = createOffloader({ store: fileStore({ directory, folders: "session" }) });
  const ids: string[] = [];
  for (const sessionId of ["one", "two", "three"]) {
    const rows = Array.from({ length: 100 }, (_, row) => ({ row, sessionId }));
    ids.push((await offloader.put(rows, { sessionId })).storedArtifact.id);
  }
  await offloader.close();

  const asking = createAsking(createCatalogue(directory, Date.now), Date.now);
  opened.push(asking);
  const ask = async (id: string | undefined, filter: string) =>
    await asking.ask(id ?? "", { tool: "jq", args: { filter } }, new AbortController().signal);
  const long = ask(ids[0], "select(.row == 0) | [range(1500000)] | length");
  await setTimeout(200);
  const beside = ids.slice(1).map((id) => ask(id, "select(.row == 3) | .sessionId"));
  const answers = await Promise.all([long, ...beside]);
  expect(answers.map(({ text, failed }) => [text.split("\n")[0], failed])).toEqual([
    ["1500000", false],
    ['"two"', false],
    ['"three"', false],
  ]);
});
