import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DrillIn, DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import { createResolver } from "../../../src/plugins/references/reference-value.js";
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

const argsOf = (id: unknown) => ({ id, file_path: id, pattern: "TOP", filter: ".", query: "." });

/** What the four tools answer about one reference. */
async function askAll(id: unknown): Promise<DrillInAnswer[]> {
  const call = { sessionKey: OWN };
  return await Promise.all(KEYS.map((key) => drillIn.run(key, argsOf(id), call)));
}

it.each<(name: string) => string>([
  (name) => `../${name}`,
  (name) => `${files.directory}/x/../${name}`,
  (name) => `..\\../${name}`,
  (name) => `%2e%2e%2f${name}`,
  (name) => `%c0%ae%c0%ae%c0%af${name}`,
  (name) => `${name}/..`,
  (name) => `${name}\0.txt`,
  (name) => `\uFF0E\uFF0E/${name}\u200B`,
  (name) => `${name}\n../secret.txt`,
  (name) => `$(cat ${name})`,
  () => "*",
  () => join(files.directory, "secret.txt"),
  () => "/proc/self/environ",
])(
  "a reference opens nothing but an artifact of the session, by its name in another place: %s",
  async (spell) => {
    const unknown = await askAll(UNKNOWN);
    expect(await askAll(spell(own.fileName))).toEqual(unknown);
    expect(await askAll(spell(foreign.fileName))).toEqual(unknown);
    expect(JSON.stringify(unknown)).not.toContain("TOP-S");
  },
);

describe("a file that is not the one that was stored", () => {
  type Plant = (artifact: StoredArtifact, secret: string) => void;

  async function planted(plant: Plant): Promise<{ artifact: StoredArtifact; plant: () => void }> {
    const artifact = await files.put(ROWS, "thread 1");
    const secret = join(files.directory, `planted-${artifact.id}`);
    // As long as the body, so that only its kind tells it apart.
    const body = readFileSync(artifact.filePath ?? "", "utf8").replaceAll("plain", "TOP-S");
    writeFileSync(secret, body);
    return { artifact, plant: () => plant(artifact, secret) };
  }

  const links = Object.entries<Plant>({
    "a link in place of the body": ({ filePath = "" }, secret) => {
      rmSync(filePath);
      symlinkSync(secret, filePath);
    },
    "a link to the moved body": ({ filePath = "" }) => {
      renameSync(filePath, `${filePath}.moved`);
      symlinkSync(`${filePath}.moved`, filePath);
    },
    "a body that was cut": ({ filePath = "" }) => writeFileSync(filePath, "TOP-S"),
  });

  it.each(links)("%s, put there after the store has looked, is not read", async (_, plantIt) => {
    for (const key of KEYS) {
      const { artifact, plant } = await planted(plantIt);
      const stat: ArtifactStore["stat"] = async (id, sessionKey) => {
        const found = await files.store.stat(id, sessionKey);
        plant();
        return found;
      };
      const drillIn = files.drillIn({}, { store: { ...files.store, stat } });
      const answer = await drillIn.run(key, argsOf(artifact.id), { sessionKey: OWN });
      expect(answer).toMatchObject({ failed: true, artifactId: artifact.id });
      expect(answer.text).not.toContain("TOP-S");
    }
  });
});

const TEXT = "some line of text\n".repeat(2000);

type Become = (artifact: StoredArtifact) => Promise<void>;

/** What tools say of an output that was found and is gone before they open it. */
async function toldOf(tool: "read" | "grep" | "jq" | "extract" | "sql", become: Become) {
  const { id, fileName } = await files.put(TEXT, "thread 1");
  const missed: string[] = [];
  const drillIn = files.drillIn(
    {},
    {
      sql: {},
      onRead: async (artifact) => {
        await become(artifact);
        return artifact;
      },
      onEvent: (event) => {
        if (event.type === "missing") missed.push(event.storedArtifact.id);
      },
    },
  );
  const query = tool === "sql" ? "SELECT count(*) FROM output" : ".";
  const args = { id, file_path: id, pattern: "lin.", filter: ".", query };
  const answer = await drillIn.run(tool, args, { sessionKey: OWN });
  return { answer, id, fileName, missed };
}

const deleted: Become = async ({ id, sessionKey }) =>
  void (await files.store.delete(id, sessionKey));

describe("an output that is gone between being found and being opened", () => {
  it.each(["read", "grep", "jq", "extract", "sql"] as const)(
    "is told as deleted by %s, with the call that brings it back",
    async (tool) => {
      const { answer, fileName } = await toldOf(tool, deleted);
      expect(answer).toMatchObject({
        failed: true,
        text: `${fileName} was deleted before its time. If that does no harm, call the tool search_issues again with the same arguments: {"query":"cache"}`,
      });
    },
  );

  it("is told so where it is passed to another tool", async () => {
    const { id } = await files.put(TEXT, "thread 1");
    const { context } = files.drillIn();
    const { bodyCache } = context;
    const late: typeof context = {
      ...context,
      bodyCache: {
        ...bodyCache,
        with: async (artifact, signal, use) =>
          bodyCache.with(artifact, signal, async (source) => {
            await deleted(artifact);
            return use(source);
          }),
      },
    };
    const use = { toolName: "t", parameter: "text", maxBytes: 1e6 };
    const { problem } = await createResolver(late)(
      { output: id, jq: "." },
      { sessionKey: OWN },
      use,
    );
    expect(problem).toMatch(/ was deleted before its time\. /);
  });
});
