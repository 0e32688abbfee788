import { linkSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DrillIn, DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { createStoredFiles } from "./stored-files.js";

const KEYS = ["read", "grep", "jq", "extract"] as const;
const OWN = sessionKeyOf("thread 1");
const ROWS = JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ id, text: "plain" })));
const SECRET = ROWS.replaceAll("plain", "TOP-S");
const UNKNOWN = "01KDX0ABCDEFGHJKMNPQRSTVWX";

const files = createStoredFiles();
let drillIn: DrillIn;
let own: StoredArtifact;
let foreign: StoredArtifact;

beforeAll(async () => {
  drillIn = files.drillIn();
  own = await files.put(ROWS, "thread 1");
  foreign = await files.put(SECRET, "thread 2");
  writeFileSync(join(files.directory, "secret.txt"), SECRET);
});

afterAll(() => files.close());

/** What the four tools answer about one reference. */
async function askAll(id: unknown, from = drillIn): Promise<DrillInAnswer[]> {
  const args = { id, file_path: id, pattern: "TOP", filter: ".", query: "." };
  return await Promise.all(KEYS.map((key) => from.run(key, args, { sessionKey: OWN })));
}

describe("a reference opens nothing but an artifact of the session", () => {
  it.each<[string, (name: string) => string]>([
    ["a parent folder", (name) => `../${name}`],
    ["a parent folder inside a path", (name) => `${files.directory}/x/../${name}`],
    ["backslashes", (name) => `..\\${name}`],
    ["mixed slashes", (name) => `..\\../${name}`],
    ["dots and slashes in percent form", (name) => `%2e%2e%2f${name}`],
    ["dots alone in percent form", (name) => `%2E%2E/${name}`],
    ["a slash alone in percent form", (name) => `..%2F${name}`],
    ["a backslash in percent form", (name) => `..%5c${name}`],
    ["percent form twice", (name) => `%252e%252e%252f${name}`],
    ["overlong UTF-8 in percent form", (name) => `%c0%ae%c0%ae%c0%af${name}`],
    ["dots written four times", (name) => `....//${name}/..`],
    ["a file URL", (name) => `file://../../${name}`],
    ["quotes around it", (name) => `"../${name}"`],
    ["a folder behind the name", (name) => `${name}/..`],
    ["NUL behind the name", (name) => `${name}\0`],
    ["NUL before another extension", (name) => `${name}\0.txt`],
    ["NUL in front", (name) => `\0${name}`],
    ["fullwidth dots", (name) => `\uFF0E\uFF0E/${name}\u200B`],
    ["a fullwidth slash", (name) => `..\uFF0F${name}`],
    ["a division slash", (name) => `..\u2215${name}`],
    ["a fraction slash", (name) => `..\u2044${name}`],
    ["text turned to the left", (name) => `\u202E${name}`],
    ["a line end", (name) => `${name}\n../secret.txt`],
    ["a command", (name) => `${name}; cat secret.txt`],
    ["a command in its place", (name) => `$(cat ${name})`],
    ["a glob", () => "*"],
    ["a secret file beside it", () => join(files.directory, "secret.txt")],
    ["the record of an artifact", (name) => `.${name}.json`],
    ["the system's password file", () => "/etc/passwd"],
    ["the process's environment", () => "/proc/self/environ"],
    ["an open file by its number", () => "/dev/fd/0"],
  ])("%s", async (_, spell) => {
    const unknown = await askAll(UNKNOWN);
    expect(await askAll(spell(own.fileName))).toEqual(unknown);
    expect(await askAll(spell(foreign.fileName))).toEqual(unknown);
    expect(JSON.stringify(unknown)).not.toContain("TOP-S");
  });

  it.each<[string, (id: string) => string]>([
    ["a Kelvin sign for K", (id) => id.replace("K", "\u212A")],
    ["a Cyrillic letter", (id) => id.replace(/[AEHKMTX]/, "\u0410")],
    ["fullwidth digits", (id) => id.replace("0", "\uFF10")],
    ["mathematical digits", (id) => id.replace("0", "\u{1D7CE}")],
    ["a long s", (id) => `${id.slice(0, -1)}\u017F`],
    ["a combining mark", (id) => `${id}\u0301`],
    ["a joiner of no width", (id) => `${id.slice(0, 9)}\u200D${id.slice(9)}`],
    ["a soft hyphen", (id) => `${id.slice(0, 9)}\u00AD${id.slice(9)}`],
    ["a lone surrogate", (id) => `${id}\uD800`],
    ["I for 1", (id) => id.replace("1", "I")],
    ["O for 0", (id) => id.replace("0", "O")],
  ])("an id that only looks like one: %s", async (_, spell) => {
    expect(await askAll(spell(own.id))).toEqual(await askAll(UNKNOWN));
  });
});

describe("a file that is not the one that was stored", () => {
  async function planted(plant: (artifact: StoredArtifact, secret: string) => void): Promise<{
    artifact: StoredArtifact;
    plant: () => void;
  }> {
    const artifact = await files.put(ROWS, "thread 1");
    const secret = join(files.directory, `planted-${artifact.id}`);
    // As long as the body, so that only its kind tells it apart.
    const body = readFileSync(artifact.filePath ?? "", "utf8").replaceAll("plain", "TOP-S");
    writeFileSync(secret, body);
    return { artifact, plant: () => plant(artifact, secret) };
  }

  const links: [string, (artifact: StoredArtifact, secret: string) => void][] = [
    [
      "a link in place of the body",
      ({ filePath = "" }, secret) => {
        rmSync(filePath);
        symlinkSync(secret, filePath);
      },
    ],
    [
      "a link to the moved body",
      ({ filePath = "" }) => {
        renameSync(filePath, `${filePath}.moved`);
        symlinkSync(`${filePath}.moved`, filePath);
      },
    ],
    [
      "a body that was cut",
      ({ filePath = "" }) => {
        writeFileSync(filePath, "TOP-S");
      },
    ],
  ];

  it.each(links)("%s is unknown to every tool", async (_, plantIt) => {
    const { artifact, plant } = await planted(plantIt);
    plant();
    expect(await askAll(artifact.id)).toEqual(await askAll(UNKNOWN));
  });

  it.each(links)("%s, put there after the store has looked, is not read", async (_, plantIt) => {
    for (const key of KEYS) {
      const { artifact, plant } = await planted(plantIt);
      const stat: ArtifactStore["stat"] = async (id, sessionKey) => {
        const found = await files.store.stat(id, sessionKey);
        plant();
        return found;
      };
      const args = {
        id: artifact.id,
        file_path: artifact.id,
        pattern: "TOP",
        filter: ".",
        query: ".",
      };
      const drillIn = files.drillIn({}, { store: { ...files.store, stat } });
      const answer = await drillIn.run(key, args, { sessionKey: OWN });
      expect(answer).toMatchObject({ failed: true, artifactId: artifact.id });
      expect(answer.text).not.toContain("TOP-S");
    }
  });

  it("a record that is a link makes no artifact", async () => {
    const { artifact } = await planted(() => {});
    const record = join(files.directory, `.atlatl-${artifact.id}.json`);
    linkSync(record, `${record}.kept`);
    rmSync(record);
    symlinkSync(`${record}.kept`, record);
    expect(await askAll(artifact.id)).toEqual(await askAll(UNKNOWN));
  });
});
