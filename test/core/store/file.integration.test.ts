import { execFileSync } from "node:child_process";
import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { artifactInDirectory, listDirectory } from "../../../src/core/store/file/directory.js";
import { partPath } from "../../../src/core/store/file/files.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { newArtifactId } from "../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;
const BODY = Buffer.from('{"type":"lro_header"}\n{"id":1}\n');
const artifactOfBody = (): ReturnType<typeof contractArtifact> => contractArtifact(BODY.length);

afterEach(() => vi.restoreAllMocks());

async function storeOne() {
  const directory = await makeDirectory();
  const store = fileStore({ directory, now });
  const stored = await store.put(artifactOfBody(), [BODY]);
  const sidecar = join(directory, `.atlatl-${stored.id}.json`);
  return { directory, store, stored, sidecar, body: stored.filePath ?? "" };
}

/** What a caller learns, by the store and by the folder; an absent artifact is the same from whatever cause. */
async function lookUp({ directory, store, stored }: Awaited<ReturnType<typeof storeOne>>) {
  return {
    stat: await store.stat(stored.id, stored.sessionKey),
    read: await rejectionCode(store.read(stored)),
    list: (await store.list(stored.sessionKey)).artifacts,
    found: await artifactInDirectory(directory, stored.id),
    listed: await listDirectory(directory, CONTRACT_START_MS),
  };
}

const ABSENT = {
  stat: undefined,
  read: "ARTIFACT_NOT_FOUND",
  list: [],
  found: undefined,
  listed: { artifacts: [], unreadable: 1 },
};

describe("files of the file store", () => {
  it("rule 26: are for this user only, whatever the umask, and so are new directories", async () => {
    const before = process.umask(0);
    try {
      const root = await makeDirectory();
      const directory = join(root, "a", "b");
      const stored = await fileStore({ directory, now }).put(artifactOfBody(), [BODY]);
      const sidecar = join(directory, `.atlatl-${stored.id}.json`);
      const paths = [join(root, "a"), directory, stored.filePath ?? "", sidecar];
      const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
      expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it("rule 27: have an absolute path when the directory is relative", async () => {
    const directory = await makeDirectory();
    const relative = join("..", "..", "..", "..", "..", "..", "..", "..", directory);
    const stored = await fileStore({ directory: relative, now }).put(artifactOfBody(), [BODY]);
    expect(stored.filePath).toBe(join(directory, stored.fileName));
  });
});

describe("planted names", () => {
  const places = [
    ["the final name", (id: string) => `atlatl-recall-${id}.jsonl`],
    ["the name of a sidecar that is being written", (id: string) => `.atlatl-${id}.part`],
    ["the sidecar's name", (id: string) => `.atlatl-${id}.json`],
  ] as const;

  const planted = [
    ["a link", "precious", (at: string, victim: string) => symlink(victim, at)],
    ["a dangling link", undefined, (at: string, victim: string) => symlink(victim, at)],
    ["a foreign file", undefined, (at: string) => writeFile(at, "precious")],
  ] as const;

  it.each(
    places.flatMap(([place, nameOf]) =>
      planted.map(([what, ...plant]) => [what, place, nameOf, ...plant] as const),
    ),
  )(
    "%s at %s is neither followed nor changed nor removed",
    async (_what, _where, nameOf, precious, put) => {
      const [directory, elsewhere] = [await makeDirectory(), await makeDirectory()];
      const victim = join(elsewhere, "victim");
      if (precious !== undefined) await writeFile(victim, precious);
      const artifact = artifactOfBody();
      const at = join(directory, nameOf(artifact.id));
      await put(at, victim);
      const before = await lstat(at);
      await expect(fileStore({ directory, now }).put(artifact, [BODY])).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
      });
      expect(await readdir(directory)).toEqual([nameOf(artifact.id)]);
      expect((await lstat(at)).ino).toBe(before.ino);
      expect(await readdir(elsewhere)).toEqual(precious === undefined ? [] : ["victim"]);
      if (!before.isSymbolicLink() || precious !== undefined)
        expect(await readFile(at, "utf8")).toBe("precious");
    },
  );
});

describe("tampering", () => {
  it("a sidecar that names a file outside the directory gives nothing", async () => {
    const one = await storeOne();
    const secret = join(await makeDirectory(), "secret");
    await writeFile(secret, BODY);
    const text = await readFile(one.sidecar, "utf8");
    const names = [`..${secret}`, `../../../..${secret}`, secret, ".", "", `x/${one.stored.id}`];
    for (const name of names) {
      const tampered = text.replace(one.stored.fileName, () => name);
      await writeFile(one.sidecar, tampered);
      expect(await lookUp(one)).toEqual(ABSENT);
      expect(await one.store.delete(one.stored.id, one.stored.sessionKey)).toBe(false);
    }
    expect(await readFile(secret)).toEqual(BODY);
  });

  it("a sidecar of another id, of no shape, or over its limit gives nothing", async () => {
    const one = await storeOne();
    const { directory, stored } = one;
    const text = await readFile(one.sidecar, "utf8");
    const huge = `${text.slice(0, -1)},"extra":"${"x".repeat(2 * 1024 * 1024)}"}`;
    const moved = text.replaceAll(stored.id, contractArtifact(BODY.length).id);
    for (const tampered of [moved, text.slice(0, -1), "", "null", "[]", huge]) {
      await writeFile(one.sidecar, tampered);
      expect(await lookUp(one)).toEqual(ABSENT);
    }
    await writeFile(one.sidecar, text);
    await link(one.sidecar, join(directory, ".atlatl-not-an-id.json"));
    const there = { stat: stored, list: [stored], found: stored };
    const listed = { artifacts: [stored], unreadable: 0 };
    expect(await lookUp(one)).toEqual({ ...there, read: "resolved", listed });
    expect(await artifactInDirectory(directory, "../../etc/passwd")).toBeUndefined();
  });

  it("a link, a directory, a pipe, another file or nothing in the body's or the sidecar's place gives nothing, without waiting", async () => {
    for (const place of ["body", "sidecar"] as const) {
      const one = await storeOne();
      const at = one[place];
      const moved = join(one.directory, "moved");
      await rename(at, moved);
      const planted = [
        () => symlink(moved, at),
        async () => execFileSync("sh", ["-c", 'mkfifo "$0"', at]),
        () => mkdir(at),
        () => writeFile(at, "x", { mode: 0o600 }),
      ];
      for (const plant of planted) {
        await plant();
        expect(await lookUp(one)).toEqual(ABSENT);
        await rm(at, { recursive: true });
      }
      const { listed, ...absent } = ABSENT;
      const unreadable = place === "body" ? 1 : 0;
      expect(await lookUp(one)).toEqual({ ...absent, listed: { ...listed, unreadable } });
    }
  });
});

describe("faults", () => {
  it("a body of something else than bytes is STORE_WRITE_FAILED and leaves nothing", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now });
    const bytes = Uint8Array.of(1, 2, 3, 4);
    for (const body of ["text", bytes, [[1]], undefined, null, 7, [undefined]]) {
      // @ts-expect-error JavaScript callers pass anything.
      const put = store.put(contractArtifact(4), body);
      await expect(put).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
        cause: expect.any(Error),
      });
    }
    expect(await readdir(directory)).toEqual([]);
  });

  it("a directory is not needed to look up, read, list, delete or sweep", async () => {
    for (const directory of [join(await makeDirectory(), "none"), "/dev/null"]) {
      const store = fileStore({ directory, now });
      const artifact = contractArtifact(1);
      expect(await store.stat(artifact.id, artifact.sessionKey)).toBeUndefined();
      await expect(store.read(artifact)).rejects.toMatchObject({ code: "ARTIFACT_NOT_FOUND" });
      expect(await store.list(artifact.sessionKey)).toEqual({ artifacts: [], cursor: undefined });
      expect(await store.delete(artifact.id, artifact.sessionKey)).toBe(false);
      expect(await store.sweep(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }
  });

  it("a directory that vanishes while a body is written fails that put alone", async () => {
    const directory = join(await makeDirectory(), "outputs");
    const store = fileStore({ directory, now });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      await rm(directory, { recursive: true });
      yield Uint8Array.of(2);
    }
    await expect(store.put(contractArtifact(2), body())).rejects.toMatchObject({
      code: "STORE_WRITE_FAILED",
    });
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    expect(await store.read(stored)).toEqual(Uint8Array.of(1));
  });
});

describe("sweeps", () => {
  const HOUR_MS = 3_600_000;
  const AFTER_EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;

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

  it.each(cutOff)(
    "take with what is stored what a killed process has left beside it: %s",
    async (_, leave) => {
      for (const isSwept of [true, false]) {
        const { directory, store, put } = await setUp();
        const { id, sessionKey, filePath = "" } = await put();
        await leave(filePath, partPath(directory, id));
        if (isSwept) expect(await store.sweep(AFTER_EXPIRY_MS)).toHaveLength(1);
        else expect(await store.delete(id, sessionKey)).toBe(true);
        expect(await readdir(directory)).toEqual([]);
      }
    },
  );

  it("rule 50: leave foreign files alone, however much they look like ours", async () => {
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

  it("leave a body that was changed or replaced by a link", async () => {
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

  it("remove what a dead process left unfinished after a day, and not before", async () => {
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

  it("do not follow a link at the name of an unfinished body", async () => {
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
