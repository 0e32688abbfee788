import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { afterAll } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { hasPostgres, hasRedis, startPostgres, startRedis, startS3 } from "./shared-store-rigs.js";

/** A medium of its own, which goes with the tests of the file. */
export interface OpenedMedium {
  /** A store of it, as another process has it. */
  store(options?: { readonly now?: () => number }): ArtifactStore;
  /** All that it keeps, names included. */
  bytes(): Promise<Buffer>;
}

/** The stores by name: whether their server answers, and how one is opened. */
export async function openableStores(): Promise<
  readonly (readonly [string, boolean, () => Promise<OpenedMedium>])[]
> {
  const endings: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  async function files(): Promise<OpenedMedium> {
    const directory = await mkdtemp(join(tmpdir(), "store-test-"));
    endings.push(() => rm(directory, { recursive: true }));
    return {
      store: (options) => fileStore({ directory, ...options }),
      bytes: async () => {
        const kept = (await readdir(directory)).map(async (name) =>
          Buffer.concat([Buffer.from(name), await readFile(join(directory, name))]),
        );
        return Buffer.concat(await Promise.all(kept));
      },
    };
  }

  async function langgraph(): Promise<OpenedMedium> {
    const base = new InMemoryStore();
    return {
      store: (options) => langgraphStore(base, options),
      bytes: async () => {
        const items = await base.search([], { limit: 100_000 });
        const texts = items.flatMap(({ value }) => Object.values(value).map(String));
        const decoded = texts.map((text) => Buffer.from(text, "base64").toString("latin1"));
        return Buffer.from(JSON.stringify([items, decoded]));
      },
    };
  }

  const of = (start: typeof startS3) => async (): Promise<OpenedMedium> => {
    const { port, connect, kept, close } = await start();
    endings.push(close);
    return { store: await connect(port), bytes: async () => Buffer.concat(await kept()) };
  };

  return [
    ["files", true, files],
    ["langgraph", true, langgraph],
    ["postgres", hasPostgres, of(startPostgres)],
    ["redis", hasRedis, of(startRedis)],
    ["s3", true, of(startS3)],
  ];
}
