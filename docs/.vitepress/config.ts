import { existsSync, readFileSync } from "node:fs";

import { type DefaultTheme, defineConfig, type UserConfig } from "vitepress";

import { installTabs } from "./install-tabs.js";
import { repositoryOf } from "./repository.js";
import { search } from "./search.js";

const base = process.env["DOCS_BASE"] ?? "/";
const packageFile = new URL("../../package.json", import.meta.url);
const repository = repositoryOf(JSON.parse(readFileSync(packageFile, "utf8")));

/** The entry points of the reference and the names of each, which `docs/scripts/api-reference.ts` writes. */
const apiSidebarFile = new URL("../api/sidebar.json", import.meta.url);
const apiSidebar: DefaultTheme.SidebarItem[] = existsSync(apiSidebarFile)
  ? JSON.parse(readFileSync(apiSidebarFile, "utf8"))
  : [];

const page = (text: string, name: string): { text: string; link: string } => ({
  text,
  link: `/${name}`,
});

const config: UserConfig = defineConfig({
  title: "langchain-offload",
  description: "Keeps large tool outputs out of a LangChain.js agent's context.",
  lang: "en",
  base,
  // Decisions are for maintainers, who read them in the repository.
  srcExclude: ["decisions/**"],
  cleanUrls: true,
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}favicon.svg` }]],
  markdown: { config: installTabs },
  themeConfig: {
    logo: "/favicon.svg",
    search: { provider: "local", options: search },
    outline: [2, 3],
    ...(repository !== undefined && {
      socialLinks: [{ icon: "github", link: repository.url, ariaLabel: "The repository" }],
      editLink: { pattern: repository.editPattern, text: "Edit this page" },
    }),
    nav: [
      page("Guide", "quickstart"),
      page("Options", "options"),
      page("Examples", "examples"),
      page("Evidence", "benchmarks"),
      page("API", "api/"),
    ],
    sidebar: {
      "/api/": [page("Entry points", "api/"), ...apiSidebar],
      "/": [
        {
          text: "Start",
          items: [
            page("Quickstart", "quickstart"),
            page("Examples", "examples"),
            page("Where to plug it in", "adapters"),
            page("Options", "options"),
            page("File, environment, command", "configuration"),
            page("Presets", "presets"),
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
            page("Cookbook", "guides/cookbook"),
            page("Your own loop", "guides/your-own-loop"),
            page("Where it runs", "guides/where-it-runs"),
            page("Run on several machines", "guides/several-machines"),
            page("Test your agent", "guides/test-your-agent"),
            page("Write a store", "guides/write-a-store"),
            page("Write a plug-in", "guides/write-a-plugin"),
            page("Write a describer", "guides/write-a-describer"),
            page("Secure it", "guides/secure-it"),
            page("Private data", "private-data"),
            page("Media and documents", "media"),
            page("Migrate", "guides/migrate"),
            page("Troubleshooting", "guides/troubleshooting"),
          ],
        },
        {
          text: "Beside it",
          items: [
            page("Plug-ins", "plugins"),
            page("Observing", "observing"),
            page("Journal", "journal"),
            page("Inspecting", "inspect"),
            page("Neighbours", "neighbours"),
            page("Access", "access"),
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
        page("API reference", "api/"),
      ],
    },
  },
});

export default config;
