import { defineConfig } from "tsdown";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/core.ts",
    "src/presets/index.ts",
    "src/testing/index.ts",
    "src/drill-in/*-worker.ts",
  ],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: true,
  // One file out for one file in: workers are found beside the module that starts them.
  unbundle: true,
  fixedExtension: false,
  publint: { strict: true },
  attw: { profile: "esm-only", level: "error" },
});
