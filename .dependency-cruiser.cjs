/** Imports point one way: presets, adapters -> offload -> stages -> types. */
const stages = "^src/(content|measure|decide|store|describe|drill-in|lifecycle)/";
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "stages-know-no-adapters",
      comment:
        "A stage imports stages and nouns, never the walk, an adapter, a preset or the tests' tools.",
      severity: "error",
      from: { path: stages },
      to: { path: "^src/(adapters|presets|testing|offload|options|index|core)" },
    },
    {
      name: "walk-knows-no-adapters",
      severity: "error",
      from: { path: "^src/(offload|options|core)" },
      to: { path: "^src/(adapters|testing|index)" },
    },
    {
      name: "only-adapters-know-langchain",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(adapters|testing)/" },
      to: { path: "node_modules/(langchain|@langchain)/" },
    },
    {
      name: "nouns-know-nobody",
      severity: "error",
      from: { path: "^src/(types|errors)" },
      to: { path: "^src/", pathNot: "^src/(types|errors)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
  },
};
