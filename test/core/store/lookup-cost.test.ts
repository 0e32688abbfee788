import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { createSeenArtifacts, findIn } from "../../../src/core/drill-in/find.js";
import { newArtifactId } from "../../../src/core/store/naming.js";
import { mapConcurrent } from "../../../src/util/slices.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { countFileCalls } from "./file-calls.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;

const fileCalls = countFileCalls();

/** The same object, and how often its methods were called. */
function countingCalls<Counted extends object>(object: Counted): [Counted, () => number] {
  let calls = 0;
  const counting = new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        calls += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return [counting, () => calls];
}

/** How much is stored the first time, and the second: more than a page of any listing. */
const FEW = 10;
const MANY = 600;

/** Stores artifacts of one byte until the session has so many. */
async function fill(store: ArtifactStore, stored: StoredArtifact[], count: number): Promise<void> {
  // A millisecond apart, by which their ids are in order.
  const times = Array.from(
    { length: count - stored.length },
    (_, index) => CONTRACT_START_MS + stored.length + index,
  );
  await mapConcurrent(times, 16, async (createdAt) => {
    stored.push(await store.put(contractArtifact(1, { createdAt }), [Uint8Array.of(1)]));
  });
}

/** How often each lookup calls what the store stands on; `calls` tells how often it was called so far. */
async function lookupCalls(
  store: ArtifactStore,
  stored: StoredArtifact[],
  calls: () => number,
): Promise<Record<string, number>> {
  const artifact = stored.pop() ?? contractArtifact(1);
  const { id, sessionKey, fileName, expiresAt } = artifact;
  const unknown = newArtifactId(CONTRACT_START_MS);
  const seen = createSeenArtifacts();
  for (const met of stored.slice(0, FEW - 1)) seen.remember(met);
  const find = (reference: string) => async (): Promise<boolean> => {
    const looking = { store, seen, now: () => CONTRACT_START_MS };
    const found = await findIn(looking, { sessionKey })(reference);
    return typeof found !== "string" && found.id === id;
  };
  const lookups: Readonly<Record<string, () => Promise<unknown>>> = {
    stat: () => store.stat(id, sessionKey),
    "stat of a wrong id": () => store.stat(unknown, sessionKey),
    "stat of an expired one": async () => store.statExpired?.(id, sessionKey),
    read: () => store.read(artifact, { start: 0, end: 1 }),
    refresh: async () => store.refresh?.(id, sessionKey, expiresAt + 1),
    "by id": find(id),
    "by path": find(`/anywhere/${fileName}`),
    "by a wrong id": find(unknown),
    "by a wrong name": find("orders.json"),
    delete: () => store.delete(id, sessionKey),
    "delete of a wrong id": () => store.delete(unknown, sessionKey),
  };
  const counted: Record<string, number> = {};
  for (const [name, lookUp] of Object.entries(lookups)) {
    const before = calls();
    const answer = await lookUp();
    counted[`${name}: ${typeof answer === "boolean" ? answer : typeof answer}`] = calls() - before;
  }
  return counted;
}

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
