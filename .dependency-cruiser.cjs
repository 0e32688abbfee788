/** Each folder may import what stands before it in this list, and the nouns. Checked in CI. */
const order = [
  "util",
  "core/content",
  "core/measure",
  "core/decide",
  "core/store",
  "core/describe",
  ["core/engines", "core/drill-in", "plugins/code"],
  "plugins/references",
  "plugins/aging",
  ["core/options", "core/pipeline", "plugins/journal"],
  "stores",
  "presets",
  "adapters",
  "seat",
  "inspect",
  "cli",
  "testing",
];
const entries = "^src/(index|core|config|design|observe)\\.ts$";
const folder = (name) => `^src/${name}/`;

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...order.map((names, place) => ({
      name: `${[names].flat()[0]}-knows-what-stands-before`,
      severity: "error",
      from: { path: [names].flat().map(folder) },
      to: {
        path: [
          ...order
            .slice(place + 1)
            .flat()
            .map(folder),
          entries,
        ],
      },
    })),
    {
      name: "nouns-know-nobody",
      severity: "error",
      from: { path: "^src/core/types/", pathNot: "^src/core/types/plugin" },
      to: { path: "^src/", pathNot: "^src/(core/types|util)/" },
    },
    {
      name: "only-adapters-know-langchain",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(adapters/(langchain|deepagents)|testing)/" },
      to: { path: "node_modules/(langchain|@langchain)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
  },
};
