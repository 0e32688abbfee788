/** Writes docs/options.md from the types of the options and what stands above them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { type OptionDoc, readOptions } from "./options/read-options.js";

const PAGE = join(import.meta.dirname, "../docs/options.md");

/** Rooms of the page in the order of the walk, with the options at the top that belong there. */
const ROOMS = [
  ["Whether", "presets", ["preset", "enabled", "include", "exclude", "perTool"]],
  ["Content", "how-it-works", ["maxOutputBytes", "selectResultSet"]],
  ["Measure", "guides/thresholds", ["tokenizer", "contextWindowTokens"]],
  ["Decide", "guides/thresholds", ["threshold", "gates", "mode", "onStoreFailure", "turnBudget"]],
  ["Store", "stores", ["store", "fileFormat", "fileName", "retention", "temporaryDirectory"]],
  ["Describe", "what-the-model-sees", ["describe"]],
  ["Drill-in", "tools", ["drillIn"]],
  ["Access", "guides/deep-agents", ["access"]],
  ["Watching", "events", ["onEvent", "now"]],
  ["Plugins", "guides/write-a-plugin", ["plugins"]],
  ["Middleware only", "guides/one-tool", ["offloader", "session"]],
] as const;

/** Each plugin: how it is called, its entry, its page, where its options are, and what it is for. */
const PLUGINS = [
  [
    "references()",
    "references",
    "guides/references.md",
    "src/adapters/langchain/references/references.ts",
    "ReferencesOptions",
    "Pass outputs by reference",
  ],
  [
    "redact()",
    "redact",
    "guides/private-data.md#redact",
    undefined,
    undefined,
    "Remove private data",
  ],
  [
    "media()",
    "media",
    "guides/media.md",
    "src/plugins/media/media.ts",
    "MediaOptions",
    "Store images, sound and documents",
  ],
  [
    "aging()",
    "aging",
    "guides/long-conversations.md",
    "src/plugins/aging/choose-stale.ts",
    "AgingOptions",
    "Age old results",
  ],
  [
    "humanMessages()",
    "human-messages",
    "guides/long-user-messages.md",
    "src/adapters/langchain/human-messages/human-messages.ts",
    "HumanMessagesOptions",
    "Store long user messages",
  ],
  [
    "code()",
    "code",
    "guides/code.md",
    "src/plugins/code/options.ts",
    "CodeOptions",
    "Let the model run JavaScript",
  ],
  [
    "journal()",
    "journal",
    "guides/observe.md#keep-a-journal-and-open-the-inspect-page",
    "src/plugins/journal/writer.ts",
    "JournalOptions",
    "Keep a journal",
  ],
  [
    "openTelemetry()",
    "opentelemetry",
    "guides/observe.md#send-spans-to-opentelemetry",
    undefined,
    undefined,
    "Send spans",
  ],
  [
    "extract()",
    "presets",
    "presets.md#lro",
    undefined,
    undefined,
    "The LRO specification's extraction tool",
  ],
] as const;

/** What one run may change. */
const OF_A_RUN = new Set(["enabled", "threshold", "describe.form"]);
/** Of a link to another part of the source there is nothing to click on here. */
const LINK = /\{@link ([^}]+)\}/g;

/** The page as it has to be. */
export function optionsPage(): string {
  const options = readOptions(
    "src/adapters/langchain/offload-middleware.ts",
    "OffloadMiddlewareOptions",
  );
  const ofTools = new Set(
    readOptions("src/core/options/options.ts", "ToolOptions")
      .flatMap((one) => whole(one))
      .map(({ path }) => path),
  );
  const known = new Set(ROOMS.flatMap(([, , names]) => [...names] as string[]));
  const homeless = options.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  if (homeless.length > 0)
    throw new Error(`In no room of scripts/options-page.ts: ${homeless.join(", ")}.`);
  const rooms = ROOMS.map(([title, page, names]) => {
    const rows = names.flatMap((name) => options.filter(({ path }) => path === name));
    const more = `\n[More on this](${page}.md)\n`;
    return `## ${title}\n${more}\n${table(
      rows.flatMap((one) => whole(one)),
      ofTools,
      OF_A_RUN,
    )}`;
  });
  return `# Options

Options of \`offloadMiddleware()\`, in pipeline order, then the options of each plugin. The other entry points take the same options, except for the
section "Middleware only". Every option is optional. Your options win over those of a preset. Unknown options throw \`INVALID_OPTIONS\` with
the names that there are. \`npx tsx scripts/options-page.ts\` writes this page from the types.

**tool**: also for one tool, in \`perTool: { my_tool: { … } }\`. **run**: also for one run, in \`configurable.offload\`, as \`{ enabled, threshold, form }\`.

${rooms.join("\n\n")}

${pluginsPart()}
`;
}

/** The plugins, and the options of each that has any. */
function pluginsPart(): string {
  const parts = PLUGINS.flatMap(([call, entry, page, file, name]) => {
    if (file === undefined || name === undefined) return [];
    const options = readOptions(file, name).flatMap((one) => whole(one));
    const intro = `From \`langchain-offload/${entry}\`. [How to use it](${page})`;
    return [`### ${call}\n\n${intro}\n\n${table(options, new Set(), new Set())}`];
  });
  return `## Plugin options

List plugins in \`plugins\`. \`perTool.X.plugins.NAME\` has the settings of one tool, and \`false\` switches off what a plugin does to its outputs. \`journal()\` and \`openTelemetry()\` still hear of them. The order matters only for
plugins that wrap outputs: the first one is the outermost.

| Plugin | Import \`langchain-offload\` + | How to use it |
| --- | --- | --- |
${PLUGINS.map(([call, entry, page, , , what]) => `| \`${call}\` | \`/${entry}\` | [${what}](${page}) |`).join("\n")}

${parts.join("\n\n")}`;
}

/** An option and its parts; one that is nothing but its parts is left out. */
function whole(option: OptionDoc): readonly OptionDoc[] {
  const isFolder =
    option.parts.length > 0 && option.when === undefined && option.defaultValue === undefined;
  return [...(isFolder ? [] : [option]), ...option.parts.flatMap((part) => whole(part))];
}

function table(
  options: readonly OptionDoc[],
  ofTools: ReadonlySet<string>,
  ofRun: ReadonlySet<string>,
): string {
  const rows = options.map(({ path, type, defaultValue, when, text }) => {
    const marks = [ofTools.has(path) && "tool", ofRun.has(path) && "run"].filter(
      (mark) => mark !== false,
    );
    const name = [`\`${path}\``, ...marks.map((mark) => `**${mark}**`)].join(" ");
    const use = when === undefined ? "" : `<br>_${when.replace(/^Set it when/, "When")}_`;
    const plain = text.replaceAll(LINK, "`$1`");
    const given = defaultValue === undefined ? "" : `<br>Default: ${defaultValue}`;
    return `| ${name} | ${cell(shortType(type))}${cell(given)} | ${cell(plain)}${cell(use)} |`;
  });
  return [
    "| Option | Type and default | What it is, and when to set it |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** A type in a narrow cell: one code for each member of a union, and no types of parameters or of parts listed below. */
export function shortType(type: string): string {
  const text = type
    .replace(/ & \{.*\}$/, "")
    .replace(/^Readonly<Record<string, (.+)>>$/, "{ [name]: $1 }")
    .replace(/^\{ \[\w+ in keyof \w+\]\?: (.+?)(?: \| undefined)? \}$/, "{ [name]: $1 }");
  return membersOf(text)
    .map((member) => `\`${withoutParameterTypes(member)}\``)
    .join(" or ");
}

/** The members of a union, not of those inside of brackets; a function is one. */
function membersOf(type: string): readonly string[] {
  if (/^\([^()]*\) =>/.test(type)) return [type];
  return type.split(/ \| (?![^({]*[)}])/);
}

function withoutParameterTypes(type: string): string {
  return type
    .replace(/^\((\(.*\) => .*)\)$/, "$1")
    .replace(/^\( ?([^()]*?),? ?\) =>/, (_, given: string) => {
      const names = given.split(", ").map((one) => one.replace(/\??:.*/, ""));
      return `(${names.join(", ")}) =>`;
    });
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(PAGE, optionsPage());
}
