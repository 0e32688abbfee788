/**
 * Makes `src/core/engines/worker-source/*.js`: each worker with all that it imports as one script in a string, which
 * starts wherever the package is bundled to, and what jq runs on. The build and the tests make them anew.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

import { Rolldown } from "tsdown";

const folder = resolve(import.meta.dirname, "../src");
const require = createRequire(import.meta.url);

const WORKERS = {
  code: "plugins/code/worker/worker.ts",
  grep: "core/engines/grep/worker.ts",
  jq: "core/engines/jq/worker.ts",
  sql: "core/engines/sql/worker/worker.ts",
} as const;
type WorkerName = keyof typeof WORKERS;

/** Of SQL, native: it stays where the user installed it. */
const EXTERNAL = ["@duckdb/node-api"];

/** Packages that the workers hold; THIRD-PARTY-LICENSES.txt has the licences of them and of what they hold. */
export const BUNDLED: readonly string[] = [
  "entities",
  "htmlparser2",
  "jq-wasm",
  "js-yaml",
  "re2js",
];

/** The form without `import.meta`, which a script in a string has not. */
const withoutMeta: Rolldown.Plugin = {
  name: "without-meta",
  resolveId: (id) => (id === "jq-wasm" ? require.resolve(id) : undefined),
};

/** What jq's `strptime` of this build gets wrong: 12 AM and PM, the day of a year, times in the machine's zone. */
const STRPTIME: readonly (readonly [wrong: string, right: string])[] = [
  [
    'hour += value.toUpperCase()[0] === "P" ? 12 : 0;',
    'hour = (hour % 12) + (value.toUpperCase()[0] === "P" ? 12 : 0);',
  ],
  [
    "date.day = day - daysUntilMonth;",
    "date.day = day - daysUntilMonth; date.month = month; break;",
  ],
  [
    "new Date(date.year, date.month, date.day, date.hour, date.min, date.sec, 0);",
    "new Date(0); fullDate.setUTCFullYear(date.year, date.month, date.day); fullDate.setUTCHours(date.hour, date.min, date.sec);",
  ],
];

const mendedStrptime: Rolldown.Plugin = {
  name: "mended-strptime",
  transform(code) {
    if (!code.includes("_strptime = ")) return undefined;
    let mended = code.replaceAll("fullDate.get", "fullDate.getUTC");
    for (const [wrong, right] of STRPTIME) {
      if (mended.split(wrong).length !== 2)
        throw new Error(`strptime of this jq-wasm is another: ${wrong}`);
      mended = mended.replace(wrong, () => right);
    }
    return { code: mended };
  },
};

/** Where a worker finds what it does not have within: in Node, and DuckDB where this process has found it. */
const REQUIRE: Readonly<Record<WorkerName, string>> = {
  code: "process.getBuiltinModule(id)",
  grep: "process.getBuiltinModule(id)",
  jq: "process.getBuiltinModule(id)",
  sql: 'process.getBuiltinModule(id)??process.getBuiltinModule("node:module").createRequire(process.execPath)(process.argv.at(-1))',
};

/** Packs bytes as small as they get, which takes seconds, once. */
async function packedOf(bytes: Buffer): Promise<Buffer> {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const path = resolve(import.meta.dirname, `../node_modules/.cache/worker-sources/${digest}.br`);
  const kept = await readFile(path).catch(() => undefined);
  if (kept !== undefined) return kept;
  const packed = brotliCompressSync(bytes);
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, packed);
  return packed;
}

/** Whoever reads meanwhile finds the old or the new, never a part. */
async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const part = `${path}.${process.pid}`;
  await writeFile(part, content);
  await rename(part, path);
}

async function scriptOf(name: WorkerName): Promise<string> {
  const bundle = await Rolldown.rolldown({
    input: join(folder, WORKERS[name]),
    platform: "node",
    external: EXTERNAL,
    plugins: [withoutMeta, mendedStrptime],
    checks: { pluginTimings: false },
  });
  const { output } = await bundle.generate({
    format: "cjs",
    codeSplitting: false,
    // Names stay: jq's imports are found by them, and a stack trace is read by people.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
      codegen: { removeWhitespace: true },
    },
  });
  const [{ code, moduleIds }] = output;
  for (const id of moduleIds) {
    const [, held] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll("\\", "/")) ?? [];
    if (held !== undefined && !BUNDLED.includes(held))
      throw new Error(
        `The worker ${name} holds ${held}: add its licence to THIRD-PARTY-LICENSES.txt.`,
      );
  }
  // Runs alike as a script and as a module.
  return `(()=>{const require=(id)=>${REQUIRE[name]};${code}})();\n//# sourceURL=langchain-offload/${name}-worker.js\n`;
}

/** WebAssembly of jq as text: a third of its size, unpacked in some 5 ms. */
async function jqText(): Promise<string> {
  const bytes = await readFile(require.resolve("jq-wasm/jq.wasm"));
  return (await packedOf(bytes)).toString("base64");
}

/** Writes the modules that are not as they should be. Vitest calls it too, by the name that it asks for. */
export async function writeWorkerSources(): Promise<void> {
  const scripts = (["code", "grep", "jq", "sql"] as const).map(
    async (name) => [name, "source", await scriptOf(name)] as const,
  );
  const packed = jqText().then((text) => ["jq-wasm", "packed", text] as const);
  await Promise.all(
    [...scripts, packed].map(async (made) => {
      const [name, constant, text] = await made;
      const path = join(folder, "core/engines/worker-source", `${name}.js`);
      const module = `export const ${constant} = ${JSON.stringify(text)};\n`;
      if ((await readFile(path, "utf8").catch(() => "")) === module) return;
      await writeWhole(path, module);
    }),
  );
}

export { writeWorkerSources as setup };
