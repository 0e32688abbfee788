import type { createOffloader } from "../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import type { memoryStore } from "../src/core/store/memory.js";
import type { encrypted } from "../src/stores/encrypted/index.js";
import type { BenchRow } from "./row.js";
import { redact } from "../src/plugins/redact/redact.js";

const RUNS = 9;
const SMALL = { name: "1 KB that stays", bytes: 1_000, count: 2_000 };
const LARGE = { name: "1 MB of JSON", bytes: 1_000_000, count: 4 };

interface Built {
  readonly createOffloader: typeof createOffloader;
  readonly memoryStore: typeof memoryStore;
  readonly encrypted: typeof encrypted;
}

/** Each as an application asks for it; absent, it is off. */
const FEATURES: Readonly<Record<string, (built: Built) => OffloadOptions>> = {
  redact: () => ({ plugins: [redact((text) => text)] }),
  "an encrypted store": ({ encrypted: seal, memoryStore: memory }) => ({
    store: seal(memory(), { current: { id: "bench", key: Buffer.alloc(32, 7) } }),
  }),
};

/**
 * What an output takes of the processor where a feature is off, as it is by default, and where it is on: what is paid is
 * paid by who asks for it. Resources are the proxy's, which loads them where they are asked for.
 */
export async function benchFeatures(): Promise<BenchRow[]> {
  const built = await loadBuilt();
  const rows: BenchRow[] = [];
  for (const [feature, options] of Object.entries(FEATURES)) {
    for (const size of [SMALL, LARGE]) {
      const [off, on] = await inTurns(built, options(built), size);
      rows.push({
        group: "features",
        name: `${size.name}, ${feature} off`,
        ours: time(off),
        other: `${time(on)} on`,
        ratio: (off / on).toFixed(2),
        goal: "-",
        met: null,
      });
    }
  }
  return rows;
}

async function loadBuilt(): Promise<Built> {
  const folder = new URL("../dist/", import.meta.url).href;
  const core: Omit<Built, "encrypted"> = await import(`${folder}core.js`);
  const sealed: Pick<Built, "encrypted"> = await import(`${folder}stores/encrypted/index.js`);
  return { ...core, ...sealed };
}

/** Median microseconds of a processor an output, run in turns so that a slow moment hits both. */
async function inTurns(
  { createOffloader: create, memoryStore: memory }: Built,
  options: OffloadOptions,
  { bytes, count }: typeof SMALL,
): Promise<readonly [off: number, on: number]> {
  const offloaders = [create({ store: memory() }), create({ store: memory(), ...options })];
  const times: number[][] = [[], []];
  let outputs = 0;
  for (let run = -1; run < RUNS; run += 1) {
    for (const [index, offloader] of offloaders.entries()) {
      const values = Array.from({ length: count }, () => textOf(bytes, (outputs += 1)));
      const used = process.cpuUsage();
      for (const value of values)
        await offloader.offload({ toolName: "search", value, sessionId: "bench" });
      const { user, system } = process.cpuUsage(used);
      // The first run warms caches and the compiler.
      if (run >= 0) times[index]?.push((user + system) / count);
    }
  }
  for (const offloader of offloaders) await offloader.close();
  const [off = NaN, on = NaN] = times.map((all) => all.toSorted((a, b) => a - b)[RUNS >> 1]);
  return [off, on];
}

function textOf(bytes: number, output: number): string {
  const record = (id: number): string =>
    JSON.stringify({ output, id, city: "Rome", votes: id % 9 });
  const records = Array.from({ length: Math.floor(bytes / 56) }, (_, id) => record(id));
  return `[${records.join(",")}]`;
}

function time(microseconds: number): string {
  return microseconds < 1000
    ? `${microseconds.toFixed(1)} µs`
    : `${(microseconds / 1000).toFixed(1)} ms`;
}
