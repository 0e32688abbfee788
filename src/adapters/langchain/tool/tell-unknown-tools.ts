import { ownToolNames } from "../../../core/options/tools.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { emit, type OffloadEvent } from "../../../core/types/events.js";
import { nearestNames } from "../../../util/nearest-names.js";
import { fieldOf } from "../../../util/field-of.js";
import { warnOnce } from "../../../util/warn-once.js";
import type { AgentHooks, NamedTool } from "../agent-hooks.js";
import { jsonSchemaOf } from "../references/reference-rules.js";

type UnknownTool = Extract<OffloadEvent, { readonly type: "unknown-tool" }>;

type KnownTools = Map<string, readonly string[] | undefined>;

const toldOf = new WeakMap<Offloader, { readonly tools: KnownTools; readonly told: Set<string> }>();

const NAMES_WITHOUT_TOOL = ["put", "user_message"];

/**
 * Tells, by an event and a process warning, once each, which tools and parameters `include`, `exclude`, `perTool` and the options of
 * plug-ins name that these tools and those told of before have not. A misspelt name would otherwise do nothing without a word. What a
 * function or `metadata` selects is not judged. Of an offloader that is shared, whose options may name another agent's tools, only
 * what is near to a name of these is told.
 */
export function tellUnknownTools(
  offloader: Offloader,
  hooks: readonly AgentHooks[],
  given: readonly unknown[],
  isShared: boolean,
): void {
  const { options } = offloader;
  const { tools, told } = toldOf.get(offloader) ?? { tools: new Map(), told: new Set() };
  toldOf.set(offloader, { tools, told });
  for (const tool of given) {
    const name = fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name");
    if (typeof name === "string") tools.set(name, parametersOf(tool));
  }
  if (tools.size === 0) return;

  function tell(
    about: Pick<UnknownTool, "option" | "toolName" | "parameter">,
    names: readonly string[],
  ): void {
    const key = JSON.stringify(about);
    const nearest = nearestNames(about.parameter ?? about.toolName, names);
    if (told.has(key) || (isShared && nearest.length === 0)) return;
    told.add(key);
    const unknown: UnknownTool = { type: "unknown-tool", ...about, nearest };
    emit(options.onEvent, unknown);
    warnOnce(sentenceOf(unknown));
  }

  const { include, exclude, perTool } = options;
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  const named: NamedTool[] = hooks.flatMap((own) => own.named ?? []);
  for (const [option, names] of Object.entries({ include, exclude, perTool: [...perTool.keys()] }))
    if (Array.isArray(names))
      named.push(...names.map((toolName: string) => ({ option, toolName })));
  for (const { option, toolName, parameters = [] } of named) {
    const there = tools.get(toolName);
    const isTold = option !== "perTool" && perTool.has(toolName);
    if (!tools.has(toolName) && !isTold && !unjudged.includes(toolName))
      tell({ option, toolName, parameter: undefined }, [...tools.keys()]);
    for (const parameter of there ? parameters : [])
      if (!there?.includes(parameter)) tell({ option, toolName, parameter }, there ?? []);
  }
}

function sentenceOf({ option, toolName, parameter, nearest }: UnknownTool): string {
  const names = nearest.map((name) => JSON.stringify(name)).join(" or ");
  const hint = names === "" ? "" : ` Did you mean ${names}?`;
  const [tool, place] = [JSON.stringify(toolName), JSON.stringify(parameter)];
  return parameter === undefined
    ? `${option} names ${tool}, and no tool of this agent is called so.${hint}`
    : `${option} names ${place}, and the tool ${tool} has no such parameter.${hint}`;
}

function parametersOf(tool: unknown): readonly string[] | undefined {
  try {
    const schema = jsonSchemaOf(fieldOf(tool, "schema"));
    const properties = schema["properties"];
    const isOpen = Boolean(schema["additionalProperties"]);
    if (typeof properties !== "object" || properties === null || isOpen) return undefined;
    return Object.keys(properties);
  } catch {
    return undefined;
  }
}
