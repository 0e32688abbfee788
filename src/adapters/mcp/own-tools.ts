import { withValueAt } from "../../core/content/json/json-text.js";
import { modelTools } from "../../core/drill-in/model-tools.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import type { Access } from "../../core/types/access.js";
import type { ShownMedia } from "../../core/types/media.js";
import { extract } from "../../presets/lro/extract.js";
import { atOnce } from "../../util/at-once.js";
import { fieldOf } from "../../util/field-of.js";
import { elementsAt } from "./content-blocks.js";
import type { Message } from "./message.js";

interface OwnTools {
  readonly definitions: readonly string[];
  has(name: unknown): name is string;
  call(name: string, args: unknown, signal: AbortSignal): Promise<string>;
}

const VIEWS = ["image"] as const;

export function protocolOptions(given: OffloadOptions): OffloadOptions {
  const { plugins = [] } = given;
  const hasExtraction = plugins.some(({ name }) => name === "extract");
  return hasExtraction ? given : { ...given, plugins: [extract(), ...plugins] };
}

export function inProtocol(offloader: Offloader): Offloader {
  for (const { hooks } of internals(offloader).host.plugged)
    atOnce("mcp", hooks.mcp?.({ views: VIEWS }));
  return offloader;
}

function mediaContent({ kind, type: mimeType, base64, name }: ShownMedia): object {
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data: base64 };
  return { type: "resource", resource: { uri: `file:///${name}`, mimeType, blob: base64 } };
}

export function createOwnTools(
  offloader: Offloader,
  sessionKey: string,
  access?: Access,
): OwnTools {
  const { toolNames, toolShapes } = offloader.options;
  const tools = modelTools({ ...offloader, toolNames, toolShapes });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const changing = toolShapes.filter(({ tool }) => tool === "cleanup").map(({ name }) => name);
  // Code may save its own outputs.
  const notReadOnly = new Set([...changing, toolNames["code"]]);
  return {
    definitions: tools.map(({ name, description, parameters }) =>
      JSON.stringify({
        name,
        description,
        inputSchema: parameters,
        annotations: { readOnlyHint: !notReadOnly.has(name), openWorldHint: false },
      }),
    ),
    has: (name): name is string => typeof name === "string" && byName.has(name),
    async call(name, args, signal) {
      const answer = await byName.get(name)?.run(args ?? {}, { sessionKey, access, signal });
      const { text = "", failed, shown } = answer ?? {};
      const content = [{ type: "text", text }, ...(shown ? [mediaContent(shown)] : [])];
      return JSON.stringify({ content, ...(failed && { isError: true }) });
    },
  };
}

const TOOLS = ["result", "tools"];

export function withOwnTools(
  { text, result }: Message,
  own: OwnTools,
  onHidden: (name: string) => void,
): string {
  const tools = fieldOf(result, "tools");
  if (!Array.isArray(tools)) return text;
  const listed = elementsAt(text, TOOLS).flatMap((toolText, index) => {
    const tool: unknown = tools[index];
    const name = fieldOf(tool, "name");
    if (own.has(name)) {
      onHidden(name);
      return [];
    }
    // Clients check results against the schema, and descriptors have their own members.
    return fieldOf(tool, "outputSchema") === undefined
      ? [toolText]
      : [withValueAt(toolText, ["outputSchema"], '{"type":"object"}')];
  });
  // Clients treat an empty cursor as none.
  const isLastPage = (fieldOf(result, "nextCursor") ?? "") === "";
  const shown = isLastPage ? [...listed, ...own.definitions] : listed;
  return withValueAt(text, TOOLS, `[${shown.join(",")}]`);
}
