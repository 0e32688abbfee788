import { createHash, randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { openSource } from "../../../src/core/engines/readers/byte-reader.js";
import { createBodyCache, type BodyCache } from "../../../src/core/engines/body-cache.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import {
  CALL,
  createTestStore,
  drillInOver,
  OTHER_SESSION_KEY,
  SESSION_KEY,
  type TestStore,
} from "../drill-in/stored-outputs.js";

const MEBIBYTE = 1024 * 1024;
const makeDirectory = temporaryDirectories();

interface Spooled {
  readonly store: TestStore;
  readonly bodyCache: BodyCache;
  readonly directory: string;
  /** The bodies that lie in the bodyCache's directory. */
  bodies(): Promise<string[]>;
}

async function spooled(given?: string, maxBytes?: number): Promise<Spooled> {
  const store = createTestStore();
  const directory = given ?? join(await makeDirectory(), "bodyCache");
  const bodyCache = createBodyCache(store, () => store.nowMs, directory, maxBytes);
  const bodies = async () =>
    (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith("."));
  return { store, bodyCache, directory, bodies };
}

const bodyOf = (mebibytes: number): string =>
  `${randomBytes(8).toString("hex")}\n`.repeat((mebibytes * MEBIBYTE) / 17);

/** Reads a source as an engine would. */
async function textOf(bodyCache: BodyCache, artifact: StoredArtifact, signal?: AbortSignal) {
  return await bodyCache.with(artifact, signal, async (source) => {
    if ("bytes" in source) return Buffer.from(source.bytes).toString();
    return (await readFile(source.path)).subarray(source.start, source.end).toString();
  });
}

describe("a body in a store without local files", () => {
  it("is fetched once, for calls at the same time and for later ones, into a file of this user", async () => {
    const { store, bodyCache, directory, bodies } = await spooled();
    const text = bodyOf(5);
    const artifact = store.add(text, { headerBytes: 17 });
    const texts = await Promise.all(Array.from({ length: 8 }, () => textOf(bodyCache, artifact)));
    texts.push(await textOf(bodyCache, artifact));
    expect(new Set(texts)).toEqual(new Set([text.slice(17)]));
    expect(store.bytesRead).toBe(text.length);
    const [copy = "", ...others] = await bodies();
    expect(others).toEqual([]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, copy))).mode & 0o777).toBe(0o600);
  });

  it("is fetched again when its copy was deleted or cut", async () => {
    const { store, bodyCache, directory, bodies } = await spooled();
    const text = bodyOf(2);
    const artifact = store.add(text);
    for (const spoil of [
      async () => await truncate(join(directory, (await bodies())[0] ?? ""), 100),
      async () => await bodyCache.forget(SESSION_KEY),
    ]) {
      await textOf(bodyCache, artifact);
      await spoil();
      expect(await textOf(bodyCache, artifact)).toBe(text);
    }
  });

  it("leaves no copy when the store fails, and the next call tries again", async () => {
    const { store, bodyCache, bodies } = await spooled();
    const text = bodyOf(2);
    const artifact = store.add(text);
    store.failure = new Error("connection lost");
    await expect(textOf(bodyCache, artifact)).rejects.toThrow("connection lost");
    store.failure = undefined;
    expect(await textOf(bodyCache, artifact)).toBe(text);
    expect(await bodies()).toHaveLength(1);
  });

  it("is fetched to its end when a caller gives up, for those who still wait and who come later", async () => {
    const { store, bodyCache, bodies } = await spooled();
    const text = bodyOf(16);
    const artifact = store.add(text);
    const stop = new AbortController();
    const goes = textOf(bodyCache, artifact, stop.signal);
    const stays = textOf(bodyCache, artifact);
    stop.abort(new Error("gone"));
    await expect(goes).rejects.toThrow("gone");
    expect(await stays).toBe(text);
    expect(store.bytesRead).toBe(text.length);
    const alone = textOf(bodyCache, store.add(text), stop.signal);
    await expect(alone).rejects.toThrow("gone");
    await bodyCache.close();
    expect(await bodies()).toEqual([]);
  });
});

describe("a body with a hash", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

  it("tells the model that it is damaged, and what to do", async () => {
    const store = createTestStore();
    const artifact = store.add("one\n", { bodySha256: sha256("two\n") });
    const { text, failed } = await drillInOver(store).run(
      "grep",
      { id: artifact.id, pattern: "one" },
      CALL,
    );
    expect(failed).toBe(true);
    expect(text).toBe(
      `The stored output ${artifact.id} is damaged: its 4 bytes are not those that were stored. ` +
        "If a tool made it, call that tool again.",
    );
  });
});

describe("the bodyCache's bounds", () => {
  it("hold the sum of the copies: the one not used for longest goes, those in use stay", async () => {
    const { store, bodyCache, bodies } = await spooled(undefined, 7 * MEBIBYTE);
    const [a, b, c, d] = [1, 2, 3, 4].map(() => store.add(bodyOf(3)));
    await textOf(bodyCache, a!);
    await textOf(bodyCache, b!);
    await textOf(bodyCache, a!);
    await textOf(bodyCache, c!);
    expect(await bodies()).toHaveLength(2);
    store.bytesRead = 0;
    await textOf(bodyCache, a!);
    await textOf(bodyCache, c!);
    expect(store.bytesRead).toBe(0);
    await bodyCache.with(a!, undefined, async () => {
      await bodyCache.with(c!, undefined, async () => {
        // No room beside those two: held in memory for this call.
        await bodyCache.with(d!, undefined, async (source) =>
          expect(source).toHaveProperty("bytes"),
        );
      });
    });
    expect(await bodies()).toHaveLength(2);
  });

  it("refuse a body that fits neither on the disk nor in memory", async () => {
    const { store, bodyCache } = await spooled(undefined, MEBIBYTE);
    const artifact = store.add(bodyOf(65), { headerBytes: 0 });
    await expect(textOf(bodyCache, artifact)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });
});

describe("a folder that is not this user's alone", () => {
  it.runIf(process.platform !== "win32")(
    "is not used: a link, one that others may write to, a file",
    async () => {
      const parent = await makeDirectory();
      await mkdir(join(parent, "target"), { mode: 0o700 });
      await symlink(join(parent, "target"), join(parent, "link"));
      await mkdir(join(parent, "open"));
      await chmod(join(parent, "open"), 0o777);
      await writeFile(join(parent, "file"), "");
      for (const name of ["link", "open", "file"]) {
        const { store, bodyCache } = await spooled(join(parent, name));
        const text = bodyOf(2);
        const artifact = store.add(text);
        await bodyCache.with(artifact, undefined, async (source) => {
          expect(source).toHaveProperty("bytes");
        });
        expect(await textOf(bodyCache, artifact)).toBe(text);
        await bodyCache.close();
      }
      expect(await readdir(join(parent, "target"))).toEqual([]);
      expect(await readdir(join(parent, "open"))).toEqual([]);
    },
  );

  it("an engine reads no file that is longer or shorter than what was stored, or another user's", async () => {
    const path = join(await makeDirectory(), "body");
    await writeFile(path, "12345678");
    expect(() => openSource({ path, start: 0, end: 8 }).close()).not.toThrow();
    for (const end of [7, 9])
      expect(() => openSource({ path, start: 0, end })).toThrow(/not the one/);
    if (process.geteuid?.() !== 0) return;
    await chown(path, 12_345, 12_345);
    expect(() => openSource({ path, start: 0, end: 8 })).toThrow(/not the one/);
  });
});

describe("what ends", () => {
  it("a copy goes with the next sweep when its output is gone, and so do expired ones of a killed process", async () => {
    const directory = join(await makeDirectory(), "bodyCache");
    const killed = await spooled(directory);
    await textOf(killed.bodyCache, killed.store.add(bodyOf(2)));
    const { store, bodyCache, bodies } = await spooled(directory);
    const gone = store.add(bodyOf(2));
    await textOf(bodyCache, gone);
    await store.delete(gone.id, SESSION_KEY);
    expect(await bodies()).toHaveLength(2);
    await bodyCache.sweep();
    expect(await bodies()).toHaveLength(1);
    store.nowMs += 3_600_000;
    await bodyCache.sweep();
    expect(await bodies()).toEqual([]);
  });

  it("a session's copies go with it, other sessions' stay; closing deletes all of them", async () => {
    const { store, bodyCache, bodies } = await spooled();
    const other = store.add(bodyOf(2), { sessionKey: OTHER_SESSION_KEY });
    await textOf(bodyCache, other);
    const ofOther = await bodies();
    await textOf(bodyCache, store.add(bodyOf(2)));
    await bodyCache.forget(SESSION_KEY);
    expect(await bodies()).toEqual(ofOther);
    await bodyCache.close();
    expect(await bodies()).toEqual([]);
  });
});
