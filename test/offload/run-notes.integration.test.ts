import { RunnableLambda } from "@langchain/core/runnables";
import { expect, it } from "vitest";

import { offloadBackend } from "../../src/adapters/langchain/deep-agents/index.js";
import { storedResources } from "../../src/adapters/mcp/resources/stored-resources.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { internals } from "../../src/offload/offloader.js";
import { fileStore } from "../../src/store/file/index.js";
import { scopeOf } from "../../src/store/naming.js";
import { runHere } from "../cli/run-command.js";
import { temporaryDirectories } from "../store/temporary-directory.js";

const makeDirectory = temporaryDirectories();

it("notes of a run that waits are in no list that somebody reads, and no cap counts them", async () => {
  const directory = await makeDirectory();
  const offloader = createOffloader({
    store: fileStore({ directory }),
    retention: { perSession: { files: 1 } },
  });
  const run = { key: "run", sessionId: "thread" };
  const { notes } = internals(offloader);
  for (const number of [0, 1, 2]) await notes.write(run, number, `note ${number}`, 60_000);
  const { storedArtifact } = await offloader.put(["a value"], { sessionId: "thread" });
  await notes.write(run, 3, "note 3", 60_000);

  const { entries } = await storedResources(offloader, { scope: scopeOf("thread") }).page(
    undefined,
  );
  expect(entries).toEqual([expect.stringContaining(storedArtifact.id)]);
  const { files } = await RunnableLambda.from(() => offloadBackend(offloader).ls("/")).invoke("", {
    configurable: { thread_id: "thread" },
  });
  expect(files.map(({ path }) => path)).toEqual([expect.stringContaining(storedArtifact.id)]);
  const env = { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory };
  expect((await runHere(["ls", "--ids"], { env })).stdout).toBe(`${storedArtifact.id}\n`);

  expect(await notes.read(run)).toEqual(["note 0", "note 1", "note 2", "note 3"]);
  await notes.delete(run, 4);
  expect(await notes.read(run)).toEqual([]);
  await offloader.close();
});
