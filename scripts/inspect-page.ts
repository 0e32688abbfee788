/** Bundles the page of `langchain-offload inspect` into `dist/inspect/page`: scripts and styles of its own, and nothing from elsewhere. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { Rolldown } from "tsdown";

const folder = resolve(import.meta.dirname, "../src/inspect/page");

/** Packages that the page holds; THIRD-PARTY-LICENSES.txt has their licences. */
export const BUNDLED_IN_PAGE: readonly string[] = ["preact"];

async function script(): Promise<string> {
  const bundle = await Rolldown.rolldown({
    input: join(folder, "main.tsx"),
    platform: "browser",
    tsconfig: join(folder, "tsconfig.json"),
    checks: { pluginTimings: false },
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: true });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  for (const id of moduleIds) {
    const [, held] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll("\\", "/")) ?? [];
    if (held !== undefined && !BUNDLED_IN_PAGE.includes(held))
      throw new Error(`The page holds ${held}: add its licence to THIRD-PARTY-LICENSES.txt.`);
  }
  return code;
}

/** Puts the page beside the server that serves it. */
export const inspectPage: Rolldown.Plugin = {
  name: "inspect-page",
  async generateBundle() {
    const files = {
      "index.html": await readFile(join(folder, "index.html"), "utf8"),
      "icon.svg": await readFile(join(folder, "icon.svg"), "utf8"),
      "page.css": await readFile(join(folder, "style.css"), "utf8"),
      "page.js": await script(),
    };
    for (const [name, source] of Object.entries(files)) {
      this.emitFile({ type: "asset", fileName: `inspect/page/${name}`, source });
    }
  },
};
