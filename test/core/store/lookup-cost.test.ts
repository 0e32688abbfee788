import { describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
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

/** How often each lookup asks the file system. */
async function lookupCalls(
  store: ArtifactStore,
  stored: StoredArtifact[],
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
    const before = fileCalls();
    const answer = await lookUp();
    counted[`${name}: ${typeof answer === "boolean" ? answer : typeof answer}`] =
      fileCalls() - before;
  }
  return counted;
}

describe("a lookup", { timeout: 60_000 }, () => {
  it.each(["none", "session"] as const)(
    `in the file store with folders: "%s" takes the same calls with ${FEW} and with ${MANY} artifacts`,
    async (folders) => {
      const store = fileStore({ directory: await makeDirectory(), folders, now });
      const stored: StoredArtifact[] = [];
      await fill(store, stored, FEW);
      const few = await lookupCalls(store, stored);
      await fill(store, stored, MANY);
      expect(await lookupCalls(store, stored)).toEqual(few);
      expect(few["stat: object"]).toBeGreaterThan(0);
    },
  );
});
