import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

import { beforeAll, describe, expect, it } from "vitest";

import { BUNDLED_IN_PAGE } from "../../scripts/inspect-page.js";
import { BUNDLED } from "../../scripts/worker-sources.js";
import { compile } from "../compile.js";
import { newDirectory } from "../after-file.js";

interface PackageJson {
  readonly exports: Record<string, unknown>;
  readonly peerDependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

const root = resolve(import.meta.dirname, "../..");
const packageJson = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageJson;
const folder = newDirectory();

const run = (command: string, args: readonly string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
/** What a module prints, from a file: workers would take over the flags of `-e`. */
function printed(module: string): string {
  writeFileSync(join(folder, "main.mjs"), module);
  return run(process.execPath, ["main.mjs"]);
}

/** The version of a package that another one brings along. */
function versionBelow(name: string): string {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Record<string, { readonly version: string }>;
  };
  const [held] = BUNDLED.map(
    (by) => lock.packages[`node_modules/${by}/node_modules/${name}`],
  ).filter((found) => found !== undefined);
  return (held ?? lock.packages[`node_modules/${name}`])?.version ?? "";
}

let packed: { filename: string; files: { path: string }[]; unpackedSize: number };

beforeAll(() => {
  const [report] = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder], root),
  ) as [typeof packed];
  packed = report;
  const dependencies = { "langchain-offload": `file:${packed.filename}` };
  const user = { name: "user", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(user));
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"]);
}, 240_000);

/** Links the peers, in the versions that this repository is tested with: `npm run peers` installs others. */
function linkPeers(): void {
  const peers = [
    "@langchain/langgraph-checkpoint",
    "@langchain/langgraph-sdk",
    ...Object.keys(packageJson.peerDependencies),
  ];
  for (const name of peers) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
}

describe("the packed package, installed in an empty folder", () => {
  it("holds what is built and nothing else", () => {
    const other = packed.files.map((file) => file.path).filter((path) => !path.startsWith("dist/"));
    const documents = ["LICENSE", "README.md", "THIRD-PARTY-LICENSES.txt", "package.json"];
    expect(other.toSorted()).toEqual(documents);
    expect(packed.unpackedSize).toBeLessThan(3_850_000);
  });

  it("has workers that need no file: their sources load what Node has, and nothing else", async () => {
    for (const name of ["code", "grep", "jq", "sql"]) {
      const path = join(root, `src/core/engines/worker-source/${name}.js`);
      const { source } = (await import(pathToFileURL(path).href)) as { source: string };
      const loaded = [...source.matchAll(/\brequire\(([^)]*)\)/g)].map(([, id = ""]) =>
        id.slice(1, -1),
      );
      const others = loaded.filter((id) => id !== "" && !isBuiltin(id));
      expect(others).toEqual(name === "sql" ? ["@duckdb/node-api"] : []);
      expect(/\bimport\s*[({*]|\bimport\.meta\b/.exec(source)).toBeNull();
      expect(() => new Script(source)).not.toThrow();
    }
  });

  it("names the licence of each package that its workers and its page hold, in the version that they hold", () => {
    const notice = readFileSync(join(root, "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of [...BUNDLED, ...BUNDLED_IN_PAGE]) {
      const version = packageJson.devDependencies[name] ?? versionBelow(name);
      expect(notice).toContain(`${name} ${version.split("-")[0]} `);
    }
  });

  it("runs without LangChain where nothing of it is used", () => {
    expect(readdirSync(join(folder, "node_modules"))).not.toContain("@langchain");
    const module = `import { createOffloader, memoryStore } from "langchain-offload/core";
       import { vectara } from "langchain-offload/presets";
       const offloader = createOffloader({ preset: vectara(), store: memoryStore() });
       const value = Array.from({ length: 90_000 }, (_, id) => ({ id, city: "Rome" }));
       const { storedArtifact } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
       const jq = offloader.tools("s").find(({ name }) => name === "artifact_jq");
       console.log((await jq.run({ artifact_id: storedArtifact.id, filter: "length" })).text);`;
    expect(printed(module)).toContain("90000");
  });
});

describe("the packed package, installed with its peers", () => {
  beforeAll(linkPeers);

  it("loads by every name that it exports", () => {
    // These have no values.
    const { "./package.json": _, "./plugin": __, ...entries } = packageJson.exports;
    const names = Object.keys(entries);
    const imports = names.map((name) => `await import("langchain-offload${name.slice(1)}")`);
    const shown = printed(`console.log([${imports.join()}].map((m) => Object.keys(m).length))`);
    const counts = JSON.parse(shown) as number[];
    expect(counts).toHaveLength(names.length);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it("runs code in its worker, with the engine that is a peer", () => {
    const module = `import { code } from "langchain-offload/code";
       import { createOffloader, memoryStore, sessionKeyOf } from "langchain-offload/core";
       const offloader = createOffloader({ store: memoryStore(), plugins: [code()] });
       const value = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
       const { storedArtifact } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
       const text = "let n = 0; for (const r of outputs.open('" + storedArtifact.id + "', ['id'])) n += r.id; return n";
       console.log((await offloader.drillIn.run("code", { code: text }, { sessionKey: sessionKeyOf("s") })).text);`;
    expect(printed(module)).toContain("1999000");
  });

  it("has its command, which finds its workers", () => {
    const bin = join(folder, "node_modules/.bin/langchain-offload");
    const id = printed(`import { createOffloader, fileStore } from "langchain-offload/core";
       const offloader = createOffloader({ store: fileStore({ directory: "stored" }) });
       const value = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
       console.log((await offloader.put(value, { sessionId: "s" })).storedArtifact.id);`).trim();
    expect(run(bin, ["jq", id, "length", "--slurp", "--directory", "stored"])).toContain("2000");
  });

  it("resolves its types in a strict project", () => {
    writeFileSync(
      join(folder, "use.ts"),
      `import { createAgent, tool } from "langchain";
       import { humanMessages, offloadHumanMessages } from "langchain-offload/human-messages";
       import { createDrillInTools, fileStore, offloadMiddleware, type OffloadMiddlewareOptions, type OffloadOptions, offloadToolNode, withOffload } from "langchain-offload";
       import { shownMessages } from "langchain-offload/aging";
       import { createOffloader, type Offloader } from "langchain-offload/core";
       import { headroom } from "langchain-offload/presets";
       import { openTelemetry } from "langchain-offload/opentelemetry";
       import { redact } from "langchain-offload/redact";
       import type { OffloadPlugin } from "langchain-offload/plugin";
       import { lro } from "langchain-offload/presets";
       import { approvalDescription } from "langchain-offload/references";
       import { scriptedModel, storeContract } from "langchain-offload/testing";
       import * as z from "zod";
       const rows = tool(async ({ n }) => ({ rows: [n] }), { name: "rows", description: "", schema: z.object({ n: z.number() }) });
       const own: OffloadPlugin = { name: "own", setup: () => ({ describe: () => ({ guidance: "Ask for less." }) }) };
       const options: OffloadOptions = { preset: lro(), threshold: { tokens: 500 }, store: fileStore({ directory: "x" }) };
       const offloader: Offloader = createOffloader({ preset: lro({ env: {} }), plugins: [openTelemetry(), redact((text) => text), own] });
       const ofMiddleware: OffloadMiddlewareOptions = { ...options, gates: [headroom({ fraction: 0.6, minBytes: 2000 })] };
       export const wrapped = withOffload(rows, { offloader });
       export const node = offloadToolNode([wrapped, ...createDrillInTools(offloader)], { offloader });
       export const agent = createAgent({ model: scriptedModel(["hi"]), tools: [wrapped, ...createDrillInTools(offloader)], middleware: [offloadMiddleware(ofMiddleware)] });
       export const shown: unknown = shownMessages([]);
       export const users = offloadHumanMessages(offloader);
       export const long = humanMessages({ threshold: { tokens: 1000 } });
       // @ts-expect-error it may be a text
       export const given: { rows: number[] } = await wrapped.invoke({ n: 1 });
       // @ts-expect-error an unknown option
       offloadMiddleware({ treshold: 1 });
       // @ts-expect-error an offloader has its options already
       offloadMiddleware({ offloader, gates: [] });
       export const reads = offloader.drillIn;
       export const approval = approvalDescription(offloader);
       export { storeContract };`,
    );
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      declaration: true,
      outDir: "types",
      emitDeclarationOnly: true,
      module: "nodenext",
      target: "es2023",
      types: [],
      skipLibCheck: false,
    };
    const config = { compilerOptions, files: ["use.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    // Other packages' declarations may not hold for so strict a compiler.
    const own = compile(folder).filter((line) => /^use\.ts|\/langchain-offload\//.test(line));
    expect(own).toEqual([]);
  });
});
