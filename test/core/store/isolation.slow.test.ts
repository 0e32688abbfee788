import { createResolver } from "../../../src/plugins/references/reference-value.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { extract } from "../../../src/presets/index.js";
import { rejectionCode } from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { openableStores } from "./opened-stores.js";

const OWN = sessionKeyOf("thread 1");
const UNKNOWN = "01KDX0ABCDEFGHJKMNPQRSTVWX";
/** What a model or a caller may write to get at an artifact of another session. */
function references({ id, fileName, filePath = fileName, sessionKey }: StoredArtifact): string[] {
  return [
    id,
    id.toLowerCase(),
    fileName,
    filePath,
    ...[id, fileName].flatMap((name) => [
      `../${name}`,
      `../../${name}`,
      `..%2f${name}`,
      `./${name}`,
      `/${name}`,
      `file:///${name}`,
      `${sessionKey}/${name}`,
      `../${sessionKey}/${name}`,
      `${sessionKey}:${name}`,
      `:${name}`,
      `offload/artifact/${sessionKey}/${name}`,
      `{offload}:record:${sessionKey}:${name}`,
      `${name}' OR '1'='1`,
      `${name}%`,
      `${name}*`,
      `${name}\0`,
    ]),
    sessionKey,
    "*",
    "%",
    "",
  ];
}

describe.each(await openableStores())("a session on a %s store", (_, available, open) => {
  let store: ArtifactStore;
  let offloader: Offloader;
  let own: StoredArtifact;
  let foreign: StoredArtifact;

  async function stored(sessionId: string, secret: string): Promise<StoredArtifact> {
    const value = Array.from({ length: 400 }, (_, id) => ({ id, secret }));
    const result = await offloader.offload({ toolName: "query", value, sessionId });
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    return result.storedArtifact;
  }

  beforeAll(async () => {
    if (!available) return;
    store = (await open()).store();
    offloader = createOffloader({ store, plugins: [extract()], drillIn: { sql: {} } });
    own = await stored("thread 1", "mine");
    foreign = await stored("thread 2", "TOP-S");
  });

  afterAll(() => offloader?.close());

  it.skipIf(!available)(
    "gets no other session's artifact by a drill-in, however it is asked",
    async () => {
      const { drillIn } = offloader;
      const ask = async (reference: string): Promise<string[]> => {
        const args = {
          id: reference,
          file_path: reference,
          pattern: "TOP",
          filter: ".",
          query: ".",
        };
        const keys = ["read", "grep", "jq", "sql", "extract"] as const;
        const texts = keys.map(
          async (key) => (await drillIn.run(key, args, { sessionKey: OWN })).text,
        );
        const use = { toolName: "send", parameter: "data", maxBytes: 1_000_000 };
        const asData = { output: reference };
        const value = createResolver(internals(offloader).core.drillIns())(
          asData,
          { sessionKey: OWN },
          use,
        ).then((data) => JSON.stringify(data));
        return await Promise.all([...texts, value]);
      };
      const unknown = await ask(UNKNOWN);
      for (const reference of references(foreign)) {
        const answers = await ask(reference);
        expect(answers.join("\n")).not.toContain("TOP-S");
        expect([reference, answers]).toEqual([reference, unknown]);
      }
      expect((await ask(own.id)).join("\n")).toContain("mine");
    },
  );

  it.skipIf(!available)("gets no other session's artifact by a call of the store", async () => {
    for (const reference of references(foreign)) {
      expect(await store.stat(reference, OWN)).toBeUndefined();
      expect(await store.statExpired?.(reference, OWN)).toBeUndefined();
      expect(await store.delete(reference, OWN)).toBe(false);
      const later = foreign.expiresAt + 1;
      const refreshed = await store.refresh?.(reference, OWN, later).catch(() => false);
      expect(refreshed ?? false).toBe(false);
      for (const forged of [
        { ...foreign, sessionKey: OWN },
        { ...foreign, id: reference, sessionKey: OWN },
        { ...own, id: reference },
        { ...own, id: UNKNOWN, fileName: foreign.fileName, filePath: reference },
      ]) {
        expect(await rejectionCode(store.read(forged))).toBe("ARTIFACT_NOT_FOUND");
      }
      // A cursor that is no id may be refused; it never shows what is another's.
      const page = await store.list(OWN, { cursor: reference }).catch(() => undefined);
      for (const { sessionKey } of page?.artifacts ?? []) expect(sessionKey).toBe(OWN);
    }
    for (const sessionKey of [
      "",
      "*",
      "%",
      "..",
      `../${foreign.sessionKey}`,
      foreign.sessionKey.slice(0, 63),
    ]) {
      expect((await store.list(sessionKey).catch(() => undefined))?.artifacts ?? []).toEqual([]);
      expect(await store.stat(foreign.id, sessionKey).catch(() => undefined)).toBeUndefined();
    }
    expect(await store.stat(foreign.id, foreign.sessionKey)).toEqual(foreign);
  });
});
