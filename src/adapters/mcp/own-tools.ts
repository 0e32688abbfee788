import type { Access } from "../../core/types/access.js";
import { modelTools } from "../../core/drill-in/model-tools.js";
import type { ShownMedia } from "../../core/types/media.js";
import type { Offloader } from "../../core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { internals } from "../../core/pipeline/offloader.js";
import { extract } from "../../presets/lro/extract.js";

/** The drill-in tools as a server of the protocol offers them. */
export interface OwnTools {
  /** JSON of each tool's definition, for `tools/list`. */
  readonly definitions: readonly string[];
  has(name: string): boolean;
  /**
   * JSON of a call's result. Rejects only with the signal's reason when it aborts.
   *
   * @param args - What the model passed, unchecked.
   */
  call(name: string, args: unknown, signal: AbortSignal): Promise<string>;
}

/** What results of tools are made of in the protocol; nobody knows the model of a client. */
const VIEWS = ["image"] as const;

/** What holds of the walk's options in the protocol: no arguments are replaced, and servers have the extraction tool natively. */
export function protocolOptions(given: OffloadOptions): OffloadOptions {
  const { plugins = [] } = given;
  const hasExtraction = plugins.some(({ name }) => name === "extract");
  return {
    ...given,
    references: false,
    plugins: hasExtraction ? plugins : [extract(), ...plugins],
  };
}

/** Tells the plug-ins of an offloader where its outputs go. */
export function inProtocol(offloader: Offloader): Offloader {
  for (const { hooks } of internals(offloader).host.plugged) hooks.mcp?.({ views: VIEWS });
  return offloader;
}

/** A file as content of the protocol. */
function mediaContent({ kind, type: mimeType, base64, name }: ShownMedia): object {
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data: base64 };
  return { type: "resource", resource: { uri: `file:///${name}`, mimeType, blob: base64 } };
}

/** The tools of this offloader, for one session and those that it may read. */
export function createOwnTools(offloader: Offloader, scope: string, access?: Access): OwnTools {
  const { toolNames, toolShapes } = offloader.options;
  const tools = modelTools({ ...offloader, toolNames, toolShapes });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const changing = toolShapes.filter(({ tool }) => tool === "cleanup").map(({ name }) => name);
  // Code may save outputs of its own.
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
    has: (name) => byName.has(name),
    async call(name, args, signal) {
      const answer = await byName.get(name)?.run(args ?? {}, { scope, access, signal });
      const text = { type: "text", text: answer?.text ?? "" };
      const content = answer?.shown === undefined ? [text] : [text, mediaContent(answer.shown)];
      return JSON.stringify({ content, ...(answer?.failed === true && { isError: true }) });
    },
  };
}
