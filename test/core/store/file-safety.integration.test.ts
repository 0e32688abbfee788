import { execFileSync } from "node:child_process";
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fileStore } from "../../../src/core/store/file/index.js";
import {
  CONTRACT_START_MS,
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

/** What a caller learns; an absent artifact is the same from whatever cause. */
async function lookUp({ store, stored }: Awaited<ReturnType<typeof storeOne>>) {
  return {
    stat: await store.stat(stored.id, stored.sessionKey),
    read: await rejectionCode(store.read(stored)),
    list: (await store.list(stored.sessionKey)).artifacts,
  };
}

const ABSENT = { stat: undefined, read: "ARTIFACT_NOT_FOUND", list: [] };

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
    const text = await readFile(one.sidecar, "utf8");
    const other = contractArtifact(BODY.length);
    const huge = `${text.slice(0, -1)},"extra":"${"x".repeat(2 * 1024 * 1024)}"}`;
    const moved = text.replaceAll(one.stored.id, other.id);
    for (const tampered of [moved, text.slice(0, -1), "", "null", "[]", huge]) {
      await writeFile(one.sidecar, tampered);
      expect(await lookUp(one)).toEqual(ABSENT);
    }
    await writeFile(one.sidecar, text);
    expect(await one.store.stat(one.stored.id, one.stored.sessionKey)).toEqual(one.stored);
  });

  it("a link, a directory or a pipe in the body's or the sidecar's place gives nothing, without waiting", async () => {
    for (const place of ["body", "sidecar"] as const) {
      const one = await storeOne();
      const moved = join(one.directory, "moved");
      await rename(one[place], moved);
      await symlink(moved, one[place]);
      expect(await lookUp(one)).toEqual(ABSENT);
      await unlink(one[place]);
      execFileSync("sh", ["-c", 'mkfifo "$0"', one[place]]);
      expect(await lookUp(one)).toEqual(ABSENT);
      await unlink(one[place]);
      await mkdir(one[place]);
      expect(await lookUp(one)).toEqual(ABSENT);
    }
  });
});
