import {
  link,
  readdir,
  readFile,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fileStore } from "../../../../src/core/store/file/index.js";
import { partPath } from "../../../../src/core/store/file/files.js";
import { newArtifactId } from "../../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();
const HOUR_MS = 3_600_000;
const AFTER_EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;

afterEach(() => vi.restoreAllMocks());

async function setUp() {
  const directory = await makeDirectory();
  const clock = { nowMs: CONTRACT_START_MS };
  const store = fileStore({ directory, now: () => clock.nowMs });
  const put = async () =>
    store.put(contractArtifact(1, { createdAt: clock.nowMs }), [Uint8Array.of(1)]);
  return { directory, clock, store, put };
}

/** What a put leaves that is killed between giving the body its name and taking the first one, and a refresh. */
const cutOff = [
  ["a second name of the body", (filePath: string, part: string) => link(filePath, part)],
  ["a record to come", (_: string, part: string) => writeFile(part, "{", { mode: 0o600 })],
] as const;

describe("a file that a killed process has left beside a stored one", () => {
  it.each(cutOff)("goes with it: %s", async (_, leave) => {
    for (const isSwept of [true, false]) {
      const { directory, store, put } = await setUp();
      const { id, sessionKey, filePath = "" } = await put();
      await leave(filePath, partPath(directory, id));
      if (isSwept) expect(await store.sweep(AFTER_EXPIRY_MS)).toHaveLength(1);
      else expect(await store.delete(id, sessionKey)).toBe(true);
      expect(await readdir(directory)).toEqual([]);
    }
  });
});

describe("sweep of the file store", () => {
  it("rule 50: leaves foreign files alone, however much they look like ours", async () => {
    const { directory, store, put } = await setUp();
    const id = newArtifactId(CONTRACT_START_MS);
    const foreign = {
      [`atlatl-recall-${id}.jsonl`]: '{"type":"lro_header"}\n',
      "atlatl-notes.jsonl": "mine",
      ".atlatl-config.json": "{}",
      [`.atlatl-${id}.json`]: "{}",
      [`.atlatl-${id}.json.bak`]: "{}",
      [`.atlatl-${id.toLowerCase()}.part`]: "x",
    };
    for (const [name, text] of Object.entries(foreign)) {
      await writeFile(join(directory, name), text);
      await utimes(join(directory, name), 0, 0);
    }
    await put();
    expect(await store.sweep(AFTER_EXPIRY_MS + 9 * 24 * HOUR_MS)).toHaveLength(1);
    const left = await readdir(directory);
    expect(left.toSorted()).toEqual(Object.keys(foreign).toSorted());
    for (const [name, text] of Object.entries(foreign)) {
      expect(await readFile(join(directory, name), "utf8")).toBe(text);
    }
  });

  it("leaves a body that was changed or replaced by a link", async () => {
    const { store, put, directory } = await setUp();
    const changed = await put();
    const replaced = await put();
    await writeFile(changed.filePath ?? "", "longer than it was");
    const target = join(directory, "target");
    await writeFile(target, "x");
    await unlink(replaced.filePath ?? "");
    await symlink(target, replaced.filePath ?? "");
    expect(await store.sweep(AFTER_EXPIRY_MS)).toEqual([]);
    expect(await readFile(changed.filePath ?? "", "utf8")).toBe("longer than it was");
    expect(await readFile(replaced.filePath ?? "", "utf8")).toBe("x");
  });

  it("removes what a dead process left unfinished after a day, and not before", async () => {
    const { directory, store, put } = await setUp();
    const part = join(directory, `.atlatl-${newArtifactId(CONTRACT_START_MS)}.part`);
    await writeFile(part, '{"id":');
    await utimes(part, CONTRACT_START_MS / 1000, CONTRACT_START_MS / 1000);
    const [short, missing] = [await put(), await put()];
    await truncate(short.filePath ?? "", 0);
    await unlink(missing.filePath ?? "");
    expect(await store.sweep(CONTRACT_START_MS + 24 * HOUR_MS - 1)).toEqual([]);
    expect(await readdir(directory)).toHaveLength(4);
    expect(await store.sweep(CONTRACT_START_MS + 24 * HOUR_MS + 1)).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  it("does not follow a link at the name of an unfinished body", async () => {
    const { directory, store } = await setUp();
    const target = join(directory, "target");
    await writeFile(target, "x");
    await utimes(target, 0, 0);
    const planted = join(directory, `.atlatl-${newArtifactId(0)}.part`);
    await symlink(target, planted);
    await store.sweep(Date.now() + 48 * HOUR_MS);
    expect(await readFile(planted, "utf8")).toBe("x");
  });
});
