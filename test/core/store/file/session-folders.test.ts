import { readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { fileStore } from "../../../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  rejectionCode,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import { temporaryDirectories } from "../temporary-directory.js";

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

describe("what is no session's folder", () => {
  it("is never written to or read: a link, and a file in its place", async () => {
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
