import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { CONTRACT_START_MS } from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { countingCalls } from "./counting-calls.js";
import { countFileCalls } from "./file-calls.js";
import { FEW, fill, lookupCalls, MANY } from "./lookup-calls.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;

const fileCalls = countFileCalls();

type Counted = readonly [ArtifactStore, () => number];

const stores: Readonly<Record<string, () => Promise<Counted>>> = {
  file: async () => [fileStore({ directory: await makeDirectory(), now }), fileCalls],
  "file, with a folder a session": async () => {
    const directory = await makeDirectory();
    return [fileStore({ directory, folders: "session", now }), fileCalls];
  },
  memory: async () => [memoryStore({ now }), fileCalls],
  langgraph: async () => {
    const [base, calls] = countingCalls(new InMemoryStore());
    return [langgraphStore(base, { now }), calls];
  },
};

describe("a lookup", { timeout: 60_000 }, () => {
  it.each(Object.entries(stores))(
    `in the %s store takes the same calls with ${FEW} and with ${MANY} artifacts`,
    async (name, open) => {
      const [store, calls] = await open();
      const stored: StoredArtifact[] = [];
      await fill(store, stored, FEW);
      const few = await lookupCalls(store, stored, calls);
      await fill(store, stored, MANY);
      expect(await lookupCalls(store, stored, calls)).toEqual(few);
      if (name !== "memory") expect(few["stat: object"]).toBeGreaterThan(0);
    },
  );
});
