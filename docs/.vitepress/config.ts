import { readdirSync, readFileSync } from "node:fs";

import { defineConfig, type UserConfig } from "vitepress";

const decisionsFolder = new URL("../decisions/", import.meta.url);

/** The decision records, oldest first, under the titles they have. */
const decisions = readdirSync(decisionsFolder)
  .filter((name) => name.endsWith(".md"))
  .toSorted()
  .map((name) => {
    const title = /^# (.+)$/m.exec(readFileSync(new URL(name, decisionsFolder), "utf8"))?.[1];
    return { text: title ?? name, link: `/decisions/${name.replace(/\.md$/, "")}` };
  });

const page = (text: string, name: string): { text: string; link: string } => ({
  text,
  link: `/${name}`,
});

const config: UserConfig = defineConfig({
  title: "langchain-offload",
  description: "Keeps large tool outputs out of a LangChain.js agent's context.",
  lang: "en",
  base: process.env["DOCS_BASE"] ?? "/",
  cleanUrls: true,
  lastUpdated: false,
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Guide", "quickstart"),
      page("Options", "options"),
      page("Evidence", "benchmarks"),
      page("API", "api/"),
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          page("Quickstart", "quickstart"),
          page("Where to plug it in", "adapters"),
          page("Options", "options"),
          page("File, environment, command", "configuration"),
          page("Presets", "presets"),
          page("Promises of lro", "presets/lro"),
          page("Promises of atlatl", "presets/atlatl"),
          page("Promises of mcpagent", "presets/mcpagent"),
          page("Promises of vectara", "presets/vectara"),
          page("Promises of meta-cc", "presets/meta-cc"),
        ],
      },
      {
        text: "The walk",
        items: [
          page("Content", "content"),
          page("Measure", "measure"),
          page("Decide", "decide"),
          page("Store", "store"),
          page("Describe", "describe"),
          page("Drill-in", "drill-in"),
          page("Code", "code"),
          page("Tools from code", "code-calls"),
          page("Aging", "aging"),
        ],
      },
      {
        text: "Guides",
        items: [
          page("Pick a preset", "guides/pick-a-preset"),
          page("Tune the threshold", "guides/tune-the-threshold"),
          page("Your own loop", "guides/your-own-loop"),
          page("Where it runs", "guides/where-it-runs"),
          page("Run on several machines", "guides/several-machines"),
          page("Write a store", "guides/write-a-store"),
          page("Secure it", "guides/secure-it"),
          page("Private data", "private-data"),
          page("Output schemas", "output-schemas"),
          page("Migrate", "guides/migrate"),
          page("Troubleshooting", "guides/troubleshooting"),
        ],
      },
      {
        text: "Beside it",
        items: [
          page("Observing", "observing"),
          page("Journal", "journal"),
          page("Inspecting", "inspect"),
          page("Neighbours", "neighbours"),
          page("Grants", "grants"),
          page("MCP", "mcp"),
          page("Command line", "cli"),
          page("MIF memories", "mif"),
        ],
      },
      {
        text: "Evidence",
        items: [
          page("Benchmarks", "benchmarks"),
          page("Evaluation", "evaluation"),
          page("Comparison", "comparison"),
          page("Conformance", "conformance"),
        ],
      },
      { text: "Decisions", collapsed: true, items: decisions },
      page("API reference", "api/"),
    ],
  },
});

export default config;
