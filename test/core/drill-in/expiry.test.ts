import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { createStoredFiles, type StoredFiles, TTL_MS } from "./stored-files.js";

const OWN = sessionKeyOf("thread 1");
const OTHER = sessionKeyOf("thread 2");
const FORGOTTEN = "01KDX0ABCDEFGHJKMNPQRSTVWX";

let files: StoredFiles;

async function storedFiles(): Promise<{ id: string; fileName: string }> {
  files = createStoredFiles();
  return await files.put("one\ntwo\n", "thread 1");
}

afterEach(() => files.close());

describe("an output that a process before this one stored", () => {
  it("is as unknown as one that never was where its record is damaged", async () => {
    const { id } = await storedFiles();
    const sidecar = join(files.directory, `.atlatl-${id}.json`);
    const record: Record<string, unknown> = JSON.parse(await readFile(sidecar, "utf8"));
    await writeFile(sidecar, JSON.stringify({ ...record, layout: "columns" }));
    const unknown = await files.drillIn().run("read", { id: FORGOTTEN }, { sessionKey: OWN });
    expect(await files.drillIn().run("read", { id }, { sessionKey: OWN })).toEqual(unknown);
  });
});

describe("looking up what has expired", () => {
  it("finds only what has, and only in its own session", async () => {
    const { id } = await storedFiles();
    expect(await files.store.statExpired?.(id, OWN)).toBeUndefined();
    files.nowMs += TTL_MS;
    expect(await files.store.statExpired?.(id, OWN)).toMatchObject({ id, sessionKey: OWN });
    expect(await files.store.statExpired?.(id, OTHER)).toBeUndefined();
    expect(await files.store.statExpired?.(`../${id}`, OWN)).toBeUndefined();
  });
});
