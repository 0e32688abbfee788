/** What each folder of the core may import beside its own, all of them `util`. Checked in CI. */
const only = {
  // Options are checked with our own error, and a text has the encodings of core/types.
  util: ["core/types/errors", "core/types/content"],
  "core/content": ["core/types"],
  "core/clean": ["core/types", "core/content"],
  "core/measure": ["core/types"],
  "core/decide": ["core/types", "core/measure"],
  "core/store": ["core/types", "core/content"],
  "core/profile": ["core/types", "core/content"],
  "core/describe": ["core/types", "core/content", "core/measure", "core/profile"],
  // Its parsers outline documents in a worker.
  "core/engines": [
    "core/types",
    "core/content",
    "core/store",
    "core/profile",
    "core/describe/outlines",
  ],
  "core/drill-in": [
    "core/types",
    "core/content",
    "core/measure",
    "core/store",
    "core/engines",
    // These two are no part of the table.
    "core/decide/window-room",
    "core/describe/references",
  ],
};
/** Each folder may import what stands before it in this list, and those above. */
const order = [
  ["core/options", "core/pipeline", "core/plugin-host"],
  "plugins",
  "stores",
  "presets",
  "adapters",
  "inspect",
  "cli",
  "testing",
];
const entries = "^src/(index|core|plugin)\\.ts$";
const folder = (name) => `^src/${name}/`;

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(only).map(([name, known]) => ({
      name: `${name}-knows-few`,
      severity: "error",
      from: { path: folder(name) },
      to: { path: "^src/", pathNot: `^src/(${[name, "util", ...known].join("|")})[/.]` },
    })),
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
        // What a plugin does in an agent is said in its terms.
        pathNot: "adapters/langchain/agent-hooks",
      },
    })),
    {
      name: "core-names-no-plugin",
      severity: "error",
      from: { path: folder("core") },
      to: { path: ["plugins", "adapters", "presets", "stores"].map(folder) },
    },
    {
      name: "types-import-nothing",
      severity: "error",
      from: { path: "^src/core/types/", pathNot: "^src/core/types/plugin" },
      to: { path: "^src/", pathNot: "^src/(core/types|util)/" },
    },
    {
      name: "only-adapters-know-langchain",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(adapters/(langchain|deepagents)|testing)/" },
      to: {
        path: "node_modules/(langchain|@langchain)/",
        // Types need no package at run time.
        dependencyTypesNot: ["type-only"],
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
  },
};
