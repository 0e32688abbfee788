/** Each folder may import what stands before it in this list, and the nouns. Checked in CI. */
const order = [
  "util",
  "content",
  "measure",
  "decide",
  "store",
  "describe",
  "drill-in",
  "references",
  "aging",
  "lifecycle",
  "observe",
  "journal",
  "options",
  "offload",
  "presets",
  "adapters",
  "seat",
  "inspect",
  "cli",
  "testing",
];
const entries = "^src/(index|core|config|design|observe)\\.ts$";
const stages = order.slice(1, order.indexOf("observe"));
/** What of the stages these may use: not their inside, so that a stage changes without them. */
const entriesOfStages = {
  inspect: [
    "measure/measure",
    "store/(artifact-store|naming|file/index|file/directory)",
    "drill-in/(drill-in|engine/find-package|read/line-index|shared/limits|sql/auto|code/engine)",
  ],
  cli: [
    "content/media/media-words",
    "measure/measure",
    "store/(artifact-store|naming|file/index|file/directory)",
    "drill-in/(drill-in|model-tools|shared/call-printer|shared/limits|shared/tool-schemas|sql/(auto|engine)|code/engine)",
  ],
  adapters: [
    "content/(unwrap|structured-content|embedded-text|json/json-(place|edit)|stream/output-stream)",
    "content/(cursor/live-cursor|media/(media-words|viewable)|mif/pre-budget-set|redact/(redactor|redact-output)|value/is-json)",
    "measure/(measure|characters|size-limit)",
    "store/(artifact-store|naming|list-artifacts)",
    "describe/(references|next-page)",
    "drill-in/(model-tools|code/(call-options|callable-tools|request)|shared/(named-outputs|seen-artifacts)|read/line-index|sentences/gone-sentence)",
    "references/(reference|data-parameters)",
    "aging/(aging-options|choose-stale|gist|stub)",
  ],
};
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
    ...Object.entries(entriesOfStages).map(([name, used]) => ({
      name: `${name}-uses-entries-of-stages`,
      severity: "error",
      from: { path: folder(name) },
      to: {
        path: stages.map(folder),
        pathNot: used.map((entry) => `^src/${entry}\\.ts$`),
      },
    })),
    {
      name: "nouns-know-nobody",
      severity: "error",
      from: { path: "^src/(types/.*|errors|events)\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(types/.*|errors|events|util/.*)\\.ts$" },
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
