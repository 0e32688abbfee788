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
      page("Get started", "quickstart"),
      page("How-to", "guides/thresholds"),
      page("Reference", "options"),
      page("Explanation", "how-it-works"),
      page("API", "api/"),
    ],
    sidebar: {
      "/api/": [page("Entry points", "api/"), ...apiSidebar],
      "/": [
        {
          text: "Get started",
          items: [page("Quickstart", "quickstart"), page("Concepts", "concepts")],
        },
        {
          text: "How-to",
          items: [
            page("Choose thresholds", "guides/thresholds"),
            page("StateGraph and PostgreSQL", "guides/state-graph"),
            page("Offload one tool", "guides/one-tool"),
            page("Pass outputs by reference", "guides/references"),
            page("Run on several machines", "guides/several-machines"),
            page("MCP clients and servers", "guides/mcp"),
            page("Deep agents and sub-agents", "guides/deep-agents"),
            page("Your own loop", "guides/your-own-loop"),
            page("Redact and encrypt", "guides/private-data"),
            page("Images, sound, documents", "guides/media"),
            page("Age old results", "guides/long-conversations"),
            page("JavaScript over outputs", "guides/code"),
            page("Long user messages", "guides/long-user-messages"),
            page("See what happened", "guides/observe"),
            page("Test your agent", "guides/test-your-agent"),
            page("Write a plugin", "guides/write-a-plugin"),
            page("Write a store, describer, preset", "guides/write-a-part"),
            page("Move to this package", "guides/migrate"),
            page("Troubleshooting", "guides/troubleshooting"),
          ],
        },
        {
          text: "Reference",
          items: [
            page("Options", "options"),
            page("The model's tools", "tools"),
            page("Presets", "presets"),
            page("Stores", "stores"),
            page("Events and errors", "events"),
            page("Command line", "cli"),
            page("Where it runs", "where-it-runs"),
            page("API", "api/"),
          ],
        },
        {
          text: "Explanation",
          items: [
            page("How it works", "how-it-works"),
            page("What the model sees", "what-the-model-sees"),
            page("Security model", "security"),
            page("Comparison", "comparison"),
            page("Benchmarks", "benchmarks"),
            page("Evaluation", "evaluation"),
          ],
        },
        {
          text: "Promises and figures",
          collapsed: true,
          items: [
            page("Differences", "conformance"),
            page("LRO specification", "promises/lro"),
            page("atlatl", "promises/atlatl"),
            page("mcpagent", "promises/mcpagent"),
            page("vectara", "promises/vectara"),
            page("meta-cc", "promises/meta-cc"),
            page("All benchmarks", "all-benchmarks"),
          ],
        },
      ],
    },
  },
});

export default config;
