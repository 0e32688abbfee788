import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { partPath } from "../../../src/core/store/file/files.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  patternBytes,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { pause } from "../../../src/util/pause.js";
import { countFileCalls } from "./file-calls.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const BODY = Buffer.from('{"id":1}\n');
const now = (): number => CONTRACT_START_MS;
const artifactOf = (session: string) =>
  contractArtifact(BODY.length, { sessionKey: sessionKeyOf(session) });
const folderOf = ({ filePath = "" }: StoredArtifact): string => dirname(filePath);

async function storeIn() {
  const root = await makeDirectory();
  const store = fileStore({ directory: root, folders: "session", now });
  const put = async (session: string): Promise<StoredArtifact> =>
    await store.put(artifactOf(session), [BODY]);
  return { root, store, put };
}

describe("a folder a session", () => {
  it("is named by the session's hash, whatever the session is called, and is the user's alone", async () => {
    const { root, put } = await storeIn();
    for (const session of ["user-1", "../../etc", "a/b", "CON", "", "\u0000", "é", "e\u0301"]) {
      const folder = folderOf(await put(session));
      expect(folder).toBe(join(root, sessionKeyOf(session).slice(0, 32)));
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
    expect(await readdir(root)).toHaveLength(8);
  });

  it("holds what its session stored, and goes with the last of it", async () => {
    const { root, store, put } = await storeIn();
    const [one, two, other] = [await put("one"), await put("one"), await put("other")];
    expect(folderOf(one)).toBe(folderOf(two));
    expect(await readdir(folderOf(one))).toHaveLength(4);
    const listed = (await store.list(one.sessionKey)).artifacts.map(({ id }) => id);
    expect(new Set(listed)).toEqual(new Set([one.id, two.id]));
    await store.delete(one.id, one.sessionKey);
    expect(await store.read(two)).toEqual(new Uint8Array(BODY));
    await store.delete(two.id, two.sessionKey);
    expect(await readdir(root)).toEqual([basename(folderOf(other))]);
  });
});

it("what is no session's folder is never written to or read: a link, and a file in its place", async () => {
  const elsewhere = await makeDirectory();
  const { root, store, put } = await storeIn();
  const stored = await put("mine");
  await rename(folderOf(stored), join(elsewhere, "moved"));
  await symlink(join(elsewhere, "moved"), folderOf(stored));
  expect(await rejectionCode(put("mine"))).toBe("STORE_WRITE_FAILED");
  expect(await readdir(join(elsewhere, "moved"))).toHaveLength(2);
  expect(await store.stat(stored.id, stored.sessionKey)).toBeUndefined();
  expect(await rejectionCode(store.read(stored))).toBe("ARTIFACT_NOT_FOUND");
  expect((await store.list(stored.sessionKey)).artifacts).toEqual([]);
  expect(await store.sweep(stored.expiresAt)).toEqual([]);
  await writeFile(join(root, sessionKeyOf("file").slice(0, 32)), "in the way");
  expect(await rejectionCode(put("file"))).toBe("STORE_WRITE_FAILED");
});

describe.each([
  ["none", "session"],
  ["session", "none"],
] as const)("a directory whose folders option has changed from %s to %s", (before, after) => {
  async function changed() {
    const root = await makeDirectory();
    const put = async (folders: "none" | "session"): Promise<StoredArtifact> =>
      await fileStore({ directory: root, folders, now }).put(artifactOf("user-1"), [BODY]);
    const [old, young] = [await put(before), await put(after)];
    return { root, old, young, store: fileStore({ directory: root, folders: after, now }) };
  }

  it("gives what was stored before, where it lies", async () => {
    const { old, store } = await changed();
    const { id, sessionKey, expiresAt } = old;
    expect(await store.stat(id, sessionKey)).toEqual(old);
    expect(await store.read(old)).toEqual(new Uint8Array(BODY));
    expect(await store.refresh?.(id, sessionKey, expiresAt + 5)).toBe(true);
    expect((await store.stat(id, sessionKey))?.expiresAt).toBe(expiresAt + 5);
    expect(await store.delete(id, sessionKey)).toBe(true);
    expect(await rejectionCode(store.read(old))).toBe("ARTIFACT_NOT_FOUND");
  });

  it("gives nothing from a link in the place of the session's folder", async () => {
    const { root, store, old, young } = await changed();
    const inFolder = [old, young].find((stored) => folderOf(stored) !== root) ?? old;
    const elsewhere = join(await makeDirectory(), "moved");
    await rename(folderOf(inFolder), elsewhere);
    await symlink(elsewhere, folderOf(inFolder));
    expect(await store.stat(inFolder.id, inFolder.sessionKey)).toBeUndefined();
    expect((await store.list(inFolder.sessionKey)).artifacts).toHaveLength(1);
  });

  it("is swept of both (bug 7)", async () => {
    const { root, old, young, store } = await changed();
    expect(await store.sweep(old.expiresAt - 1)).toEqual([]);
    const swept = await store.sweep(Math.max(old.expiresAt, young.expiresAt));
    expect(swept.map(({ id }) => id).toSorted()).toEqual([old.id, young.id].toSorted());
    expect(await readdir(root)).toEqual([]);
  });
});

describe("the refresh of a file", () => {
  /** A stored artifact beside which a file stands that a call works on. */
  async function claimed(ageMs: number) {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now: () => CONTRACT_START_MS });
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    const part = partPath(directory, stored.id);
    writeFileSync(part, "half a sidec", { mode: 0o600 });
    const changedAt = (Date.now() - ageMs) / 1_000;
    utimesSync(part, changedAt, changedAt);
    const refresh = async () =>
      await store.refresh?.(stored.id, stored.sessionKey, stored.expiresAt + 1);
    return { store, stored, part, refresh };
  }

  it("is made when the process that claimed it has died", async () => {
    const { store, stored, part, refresh } = await claimed(120_000);
    expect(await refresh()).toBe(true);
    expect(existsSync(part)).toBe(false);
    const { id, sessionKey, expiresAt } = stored;
    expect((await store.stat(id, sessionKey))?.expiresAt).toBe(expiresAt + 1);
  });

  it("brings nothing back, and leaves nothing, of what is deleted at the same time", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now: () => CONTRACT_START_MS });
    for (let round = 0; round < 200; round += 1) {
      const { id, sessionKey, expiresAt } = await store.put(contractArtifact(1), [
        Uint8Array.of(1),
      ]);
      const refreshing = store.refresh?.(id, sessionKey, expiresAt + 1);
      // At each of its steps.
      for (let turn = 0; turn < round % 20; turn += 1) await pause();
      expect(await store.delete(id, sessionKey)).toBe(true);
      await refreshing;
      expect([round, readdirSync(directory)]).toEqual([round, []]);
    }
  });
});

describe("what is due", () => {
  const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
  const HOUR_MS = 3_600_000;
  const fileCalls = countFileCalls();

  async function setUp() {
    const directory = await makeDirectory();
    const clock = { nowMs: CONTRACT_START_MS };
    const now = (): number => clock.nowMs;
    const store = fileStore({ directory, now });
    const put = (expiresAt = EXPIRY_MS): Promise<StoredArtifact> =>
      store.put(contractArtifact(1, { expiresAt }), [Uint8Array.of(1)]);
    return { directory, clock, now, store, put };
  }

  const idsOf = (swept: readonly StoredArtifact[]): string[] =>
    swept.map(({ id }) => id).toSorted();

  it("is all that a sweep reads, however much is stored", async () => {
    const { directory, put } = await setUp();
    const calls: number[] = [];
    for (const nowMs of [EXPIRY_MS, EXPIRY_MS + HOUR_MS]) {
      for (let count = 0; count < 100; count += 1) await put(EXPIRY_MS + 9 * HOUR_MS);
      const due = [await put(nowMs), await put(nowMs)];
      // Another process, which has seen nothing yet.
      const other = fileStore({ directory });
      const before = fileCalls();
      expect(idsOf(await other.sweep(nowMs))).toEqual(idsOf(due));
      calls.push(fileCalls() - before);
    }
    // A directory is listed by some hundred names at a time.
    expect((calls[1] ?? NaN) - (calls[0] ?? NaN)).toBeLessThan(5);
  });

  it("is not what was prolonged, until its later time, also by who writes the record alone", async () => {
    const { directory, store, put } = await setUp();
    const [ours, theirs] = [await put(), await put()];
    const later = EXPIRY_MS + 2 * HOUR_MS;
    expect(await store.refresh?.(ours.id, ours.sessionKey, later)).toBe(true);
    const sidecar = join(directory, `.atlatl-${theirs.id}.json`);
    const text = await readFile(sidecar, "utf8");
    await writeFile(sidecar, text.replace(String(EXPIRY_MS), String(later)));
    expect(await store.sweep(later - 1)).toEqual([]);
    expect(idsOf(await store.sweep(later))).toEqual(idsOf([ours, theirs]));
  });
});

it("rule 51: a reader in the middle of a sweep gets the right bytes or hears that the output has expired, never something else", async () => {
  const directory = await makeDirectory();
  let nowMs = CONTRACT_START_MS;
  const store = fileStore({ directory, now: () => nowMs });
  const body = patternBytes(400_000);
  const stored = await store.put(contractArtifact(body.length), [body]);
  // Two other processes, whose clocks are ahead, sweep.
  const other = fileStore({ directory });
  const read = async (start: number): Promise<string> => {
    const range = { start, end: start + 1000 };
    try {
      const bytes = await store.read(stored, range);
      return Buffer.compare(bytes, body.subarray(start, range.end)) === 0 ? "right" : "wrong";
    } catch (error) {
      return String(Reflect.get(Object(error), "code"));
    }
  };
  expect(await read(0)).toBe("right");
  const reads = Array.from({ length: 200 }, (_, index) => read(index * 1000));
  const sweeps = [other, fileStore({ directory })].map((one) =>
    one.sweep(CONTRACT_START_MS + CONTRACT_TTL_MS),
  );
  const answers = new Set(await Promise.all(reads));
  expect(
    [...answers].filter((answer) => !["right", "ARTIFACT_NOT_FOUND"].includes(answer)),
  ).toEqual([]);
  expect((await Promise.all(sweeps)).flat()).toHaveLength(1);
  expect(await read(0)).toBe("ARTIFACT_NOT_FOUND");
  nowMs += CONTRACT_TTL_MS;
  expect(await read(0)).toBe("ARTIFACT_EXPIRED");
});
