import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MAX_FAULT_TOKENS } from "../../../src/core/drill-in/answer.js";
import { createSeenArtifacts, findIn, type FoundOutput } from "../../../src/core/drill-in/find.js";
import { createMeasure } from "../../../src/core/measure/measure.js";
import { artifactIdIn, sessionKeyOf } from "../../../src/core/store/naming.js";
import { createStoredFiles, TTL_MS } from "./stored-files.js";
import {
  createTestStore,
  foreignId,
  OTHER_SESSION_KEY,
  SESSION_KEY,
  type TestStore,
} from "./stored-outputs.js";

const ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";
const NAME = `atlatl-search-${ID}.jsonl`;

function find(
  store: TestStore,
  reference: string,
  seen = createSeenArtifacts(),
): Promise<FoundOutput> {
  return findIn({ store, seen, now: () => store.nowMs }, { sessionKey: SESSION_KEY })(reference);
}

function storeWithOne(): TestStore {
  const store = createTestStore();
  store.add("text", { id: ID, fileName: NAME });
  return store;
}

describe("finding an artifact", () => {
  it.each([
    ID,
    ID.toLowerCase(),
    NAME,
    `/var/tmp/agents/${NAME}`,
    `C:\\Temp\\${NAME}`,
    `'/var/with space/${NAME}'`,
    `\`${ID}\``,
    `atlatl-search-${ID}`,
  ])("understands %j", async (reference) => {
    expect(await find(storeWithOne(), reference)).toMatchObject({ id: ID });
  });

  it.each([
    `${ID}; cat /etc/passwd`,
    "",
    ID.replace("K", "\u212A"),
    `${ID.slice(0, -1)}\u200B${ID.slice(-1)}`,
    `8${ID.slice(1)}`,
  ])("gives %j the answer that an unknown id gets", async (reference) => {
    const store = storeWithOne();
    const seen = createSeenArtifacts();
    await find(store, ID, seen);
    const unknown = await find(store, foreignId(), seen);
    expect(await find(store, reference, seen)).toEqual(unknown);
    expect(unknown).toBe(
      `No stored output has this id or name. The newest of this session: ${NAME}`,
    );
  });

  it("looks at nothing longer than a path can be", async () => {
    const found = await find(storeWithOne(), `/${"x/".repeat(2500)}${NAME}`);
    expect(found).toMatch(/^No stored output has this id or name/);
  });

  it("lists the newest names that it has met and that are there, newest first", async () => {
    const store = createTestStore();
    const seen = createSeenArtifacts();
    const artifacts = Array.from({ length: 12 }, (_, index) => store.add(`${index}`));
    for (const artifact of artifacts) seen.remember(artifact);
    await store.delete(artifacts.pop()?.id ?? "", SESSION_KEY);
    const names = artifacts.map(({ fileName }) => fileName).toReversed();
    expect(await find(store, "nothing", seen)).toBe(
      `No stored output has this id or name. The newest of this session: ${names.slice(0, 2).join(", ")}`,
    );
  });

  it("takes no text for an id but one of the exact pattern, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (reference) => {
        const id = artifactIdIn(reference);
        expect(id === undefined || /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)).toBe(true);
      }),
    );
  });
});

describe("after the expiry", () => {
  it("a store finds what has expired, and only in its own session", async () => {
    const files = createStoredFiles();
    const { id } = await files.put("one\ntwo\n", "thread 1");
    const [own, other] = [sessionKeyOf("thread 1"), sessionKeyOf("thread 2")];
    expect(await files.store.statExpired?.(id, own)).toBeUndefined();
    files.nowMs += TTL_MS;
    expect(await files.store.statExpired?.(id, own)).toMatchObject({ id, sessionKey: own });
    expect(await files.store.statExpired?.(id, other)).toBeUndefined();
    expect(await files.store.statExpired?.(`../${id}`, own)).toBeUndefined();
    await files.close();
  });

  it.each([
    [{ query: "cache" }, 'with the same arguments: {"query":"cache"}'],
    [{ query: "the cache of the build ".repeat(40) }, "with the same arguments."],
    [{ token: "0123456789abcdef".repeat(6) }, "with the same arguments."],
  ])("never cuts the arguments of the call to repeat: %j", async (args, ending) => {
    const store = createTestStore();
    const seen = createSeenArtifacts();
    seen.remember(store.add("text", { id: ID, args }));
    store.nowMs += 3_600_000;
    const found = await find(store, ID, seen);
    expect.assert(typeof found === "string");
    expect(found.endsWith(`call the tool search_issues again ${ending}`)).toBe(true);
    const { tokens } = await createMeasure().count(found);
    expect(tokens).toBeLessThanOrEqual(MAX_FAULT_TOKENS);
  });

  it("tells another session nothing about what has expired", async () => {
    const store = createTestStore();
    const seen = createSeenArtifacts();
    seen.remember(store.add("text", { id: ID, sessionKey: OTHER_SESSION_KEY }));
    store.nowMs += 3_600_000;
    expect(await find(store, ID, seen)).toEqual(await find(store, foreignId(), seen));
  });
});
