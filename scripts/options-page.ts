/** Writes docs/options.md from the types of the options and what stands above them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { type OptionDoc, readOptions } from "./options/read-options.js";

const PAGE = join(import.meta.dirname, "../docs/options.md");

/** Rooms of the page in the order of the walk, with the options at the top that belong there. */
const ROOMS = [
  ["Whether", "presets", ["preset", "enabled", "include", "exclude", "perTool"]],
  ["Content", "content", ["maxOutputBytes", "selectResultSet"]],
  ["Measure", "measure", ["tokenizer", "contextWindowTokens"]],
  ["Decide", "decide", ["threshold", "gates", "mode", "onStoreFailure", "turnBudget"]],
  ["Store", "store", ["store", "fileFormat", "fileName", "retention", "temporaryDirectory"]],
  ["Describe", "describe", ["describe"]],
  ["Drill-in", "drill-in", ["drillIn"]],
  ["Access", "access", ["access"]],
  ["Watching", "observing", ["onEvent", "now"]],
  ["Plug-ins", "plugins", ["plugins"]],
  ["The middleware's own", "adapters", ["offloader", "session"]],
] as const;

/** What one run, one call or a tool's `metadata.offload` may change. */
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
    const more = `\n[More](${page.replace(/^([\w-]+)/, "$1.md")})\n`;
    return `## ${title}\n${more}\n${table(
      rows.flatMap((one) => whole(one)),
      ofTools,
    )}`;
  });
  return `# Options

Every option of \`offloadMiddleware()\`, in the order of the walk; the other ways in take the same but for the last
part. None is needed. A preset is some of them, and your own hold over it. An option that there is not is refused with the nearest
name. This page is written from the types by \`npx tsx scripts/options-page.ts\`.

**tool**: also for one tool, in \`perTool: { my_tool: { … } }\`. **run**: also for one run, in \`configurable.offload\` or
\`context.offload\`, and in a tool's \`metadata.offload\`, as \`{ enabled, threshold, form }\`.

${rooms.join("\n\n")}
`;
}

/** An option and its parts; one that is nothing but its parts is left out. */
function whole(option: OptionDoc): readonly OptionDoc[] {
  const isFolder =
    option.parts.length > 0 && option.when === undefined && option.defaultValue === undefined;
  return [...(isFolder ? [] : [option]), ...option.parts.flatMap((part) => whole(part))];
}

function table(options: readonly OptionDoc[], ofTools: ReadonlySet<string>): string {
  const rows = options.map(({ path, type, defaultValue, when, text }) => {
    const marks = [ofTools.has(path) && "tool", OF_A_RUN.has(path) && "run"].filter(
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
