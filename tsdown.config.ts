import { defineConfig, type UserConfig } from "tsdown";

// By its own ending, since newer versions of Node load this file as it is.
import { inspectPage } from "./scripts/inspect-page.ts";
import { rankIndexes } from "./scripts/rank-indexes.ts";
import { writeWorkerSources } from "./scripts/worker-sources.ts";

await writeWorkerSources();

const config: UserConfig = defineConfig({
  entry: [
    "src/index.ts",
    "src/core.ts",
    "src/plugin.ts",
    "src/plugins/redact/redact.ts",
    "src/plugins/opentelemetry/open-telemetry.ts",
    "src/plugins/journal/index.ts",
    "src/adapters/langchain/aging/index.ts",
    "src/adapters/langchain/human-messages/index.ts",
    "src/adapters/deepagents/index.ts",
    "src/adapters/langchain/references/index.ts",
    "src/mif/index.ts",
    "src/presets/index.ts",
    "src/adapters/mcp/index.ts",
    "src/stores/encrypted/index.ts",
    "src/stores/langgraph/index.ts",
    "src/stores/postgres/index.ts",
    "src/stores/redis/index.ts",
    "src/stores/s3/index.ts",
    "src/testing/index.ts",
    "src/cli/main.ts",
    // Beside the page that it serves, and loaded by its command alone.
    "src/inspect/index.ts",
    "src/plugins/code/index.ts",
    "src/plugins/media/media.ts",
    // Beside the index that it reads, and loaded with it.
    "src/core/measure/encoding/prebuilt.ts",
  ],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: true,
  // A file costs a quarter of a millisecond to load, so what is used together is one; small topics are one for all.
  outputOptions: {
    codeSplitting: {
      groups: [{ name: "util", test: /\/src\/(util\/[^.]*|core\/types\/(errors|events))\.ts$/ }],
    },
  },
  plugins: [rankIndexes, inspectPage],
  fixedExtension: false,
  publint: { strict: true },
});

export default config;
