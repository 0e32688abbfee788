import { describe, it, onTestFinished } from "vitest";

import { ALL_CASES, caseOfTheDay } from "../of-the-day.js";
import { askBuildOfVite, askFileOfEsbuild, askRouteOfNext } from "./deployed.js";
import { installApp, removeApp } from "./installed-app.js";

interface Bundled {
  readonly where: string;
  readonly tools: Readonly<Record<string, string>>;
  ask(app: string): Promise<void>;
}

const NEXT = { next: "16.4.6", react: "19.2.0", "react-dom": "19.2.0" };
const ESBUILD = { esbuild: "0.28.2" };

/** They take both cores for two minutes, so they run before a release alone. */
const BUNDLED_BY_NEXT = (["turbopack", "webpack"] as const).map((bundler): Bundled => ({
  where: `a route handler of Next.js, built by ${bundler}`,
  tools: NEXT,
  ask: (app) => askRouteOfNext(app, bundler),
}));

const inOneFile = (format: "esm" | "cjs"): Bundled => ({
  where: `one file of esbuild, as ${format}`,
  tools: ESBUILD,
  ask: (app) => askFileOfEsbuild(app, format),
});
const VITE = {
  where: "Vite's build for the server",
  tools: { vite: "8.3.8" },
  ask: askBuildOfVite,
};
const BUNDLED = [inOneFile("esm"), VITE, inOneFile("cjs")];

describe("an application has every drill-in, and is told how to bring SQL", () => {
  for (const { where, tools, ask } of [
    ...caseOfTheDay(BUNDLED),
    ...(ALL_CASES ? BUNDLED_BY_NEXT : []),
  ]) {
    it(`in ${where}`, async ({ skip }) => {
      const app = await installApp(tools);
      if (app === undefined) return skip("npm could not install");
      onTestFinished(() => removeApp(app));
      await ask(app);
    }, 900_000);
  }
});
