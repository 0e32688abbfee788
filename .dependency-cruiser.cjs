/** Each folder may import what stands before it in this list, and the nouns. Checked in CI. */
const order = [
  "util",
  "content",
  "measure",
  "decide",
  "store",
  "describe",
  "drill-in",
  "lifecycle",
  "observe",
  "options",
  "offload",
  "presets",
  "adapters",
  "cli",
  "testing",
];
const entries = "^src/(index|core|config|design|observe)\\.ts$";
const folder = (name) => `^src/${name}/`;

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...order.map((name, place) => ({
      name: `${name}-knows-what-stands-before`,
      severity: "error",
      from: { path: folder(name) },
      to: { path: [...order.slice(place + 1).map(folder), entries] },
    })),
    {
      name: "nouns-know-nobody",
      severity: "error",
      from: { path: "^src/(types|errors|events)\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(types|errors|events|util/.*)\\.ts$" },
    },
    {
      name: "only-adapters-know-langchain",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(adapters/langchain|testing)/" },
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
