import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { listArtifacts } from "../../../src/core/store/store-driver.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "./temporary-directory.js";

/** A page has a thousand. */
const COUNT = 1_100;
const AT_ONCE = 220;
const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;

// The stores on servers have the same in shared-store-faults.slow.test.ts.
const stores: Readonly<Record<string, () => Promise<ArtifactStore>>> = {
  file: async () => fileStore({ directory: await makeDirectory(), now }),
  "file, with a folder a session": async () =>
    fileStore({ directory: await makeDirectory(), folders: "session", now }),
  memory: async () => memoryStore({ now }),
  "langgraph, in memory": async () => langgraphStore(new InMemoryStore(), { now }),
};

describe.each(Object.entries(stores))("%s store", { timeout: 90_000 }, (_, open) => {
  it(`lists a session's ${COUNT} artifacts page by page, oldest first, and no other session's`, async () => {
    const store = await open();
    const other = contractArtifact(0, { sessionKey: sessionKeyOf("session two") });
    await store.put(other, []);
    const ids: string[] = [];
    for (let first = 0; first < COUNT; first += AT_ONCE) {
      const artifacts = Array.from({ length: AT_ONCE }, (_unused, index) =>
        contractArtifact(0, { createdAt: CONTRACT_START_MS + first + index }),
      );
      await Promise.all(artifacts.map((artifact) => store.put(artifact, [])));
      ids.push(...artifacts.map(({ id }) => id));
    }
    const { sessionKey } = contractArtifact(0);
    const listed = await listArtifacts(store, sessionKey, Math.ceil(COUNT / 1000) + 1);
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(await listArtifacts(store, other.sessionKey)).toHaveLength(1);
  });
});
