import type { ToolSelector } from "../../../core/decide/scope.js";
import { ownToolNames } from "../../../core/options/tools.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { emit, type OffloadEvent } from "../../../core/types/events.js";
import { nearestNames } from "../../../util/nearest-names.js";
import { fieldOf } from "../../../util/field-of.js";
import { warnOnce } from "../../../util/warn-once.js";
import type { AgentHooks, NamedTool } from "../agent-hooks.js";
import { jsonSchemaOf } from "../references/reference-rules.js";

/** What an option names that is not there. */
type UnknownTool = Extract<OffloadEvent, { readonly type: "unknown-tool" }>;

/** A tool that is there. */
interface KnownTool {
  readonly name: string;
  /** Names of its parameters; `undefined` where it takes any. */
  readonly parameters: readonly string[] | undefined;
}

/** Tools that adapters of an offloader have shown, and what was told of its options. */
interface Told {
  readonly tools: Map<string, KnownTool>;
  readonly names: Set<string>;
}

const toldOf = new WeakMap<Offloader, Told>();

/**
 * Tells, by an event and a process warning, once each, what the options name that these tools and those told of before
 * have not. A misspelt name would otherwise do nothing without a word. Of an offloader that is shared, whose
 * options may name another agent's tools, only what is near to a name of these.
 */
export function tellUnknownTools(
  offloader: Offloader,
  hooks: readonly AgentHooks[],
  given: readonly unknown[],
  isShared: boolean,
): void {
  const told = toldOf.get(offloader) ?? { tools: new Map(), names: new Set() };
  toldOf.set(offloader, told);
  for (const tool of given.flatMap(knownTool)) told.tools.set(tool.name, tool);
  if (told.tools.size === 0) return;
  for (const unknown of unknownTools(offloader.options, hooks, [...told.tools.values()])) {
    const name = JSON.stringify([unknown.option, unknown.toolName, unknown.parameter]);
    if (told.names.has(name) || (isShared && unknown.nearest.length === 0)) continue;
    told.names.add(name);
    emit(offloader.options.onEvent, unknown);
    warnOnce(sentenceOf(unknown));
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

/** A tool of LangChain; one that a provider runs has no name of ours. */
function knownTool(tool: unknown): KnownTool[] {
  const name = fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name");
  return typeof name === "string" ? [{ name, parameters: parametersOf(tool) }] : [];
}

function parametersOf(tool: unknown): readonly string[] | undefined {
  try {
    const schema = jsonSchemaOf(fieldOf(tool, "schema"));
    const properties = schema["properties"];
    const isOpen = Boolean(schema["additionalProperties"]);
    if (typeof properties !== "object" || properties === null || isOpen) return undefined;
    return Object.keys(properties);
  } catch {
    // A schema that cannot be told as JSON.
    return undefined;
  }
}

/** Under these names code and users store. */
const NAMES_WITHOUT_TOOL = ["put", "user_message"];

/**
 * The tools, and parameters of tools, that `include`, `exclude`, `perTool` and the options of plug-ins name and that are not
 * among the given. What a function or `metadata` selects is not judged.
 */
function unknownTools(
  options: Offloader["options"],
  hooks: readonly AgentHooks[],
  tools: readonly KnownTool[],
): readonly UnknownTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const known = [...byName.keys()];
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  const named: readonly NamedTool[] = [
    ...hooks.flatMap((own) => own.named ?? []),
    ...namesIn(options.include).map((toolName) => ({ option: "include", toolName })),
    ...namesIn(options.exclude).map((toolName) => ({ option: "exclude", toolName })),
    ...[...options.perTool.keys()].map((toolName) => ({ option: "perTool", toolName })),
  ];
  return named.flatMap(({ option, toolName, parameters = [] }): UnknownTool[] => {
    const type = "unknown-tool";
    const tool = byName.get(toolName);
    if (tool === undefined) {
      const isTold = option !== "perTool" && options.perTool.has(toolName);
      if (isTold || unjudged.includes(toolName)) return [];
      const nearest = nearestNames(toolName, known);
      return [{ type, option, toolName, parameter: undefined, nearest }];
    }
    const { parameters: there } = tool;
    if (there === undefined) return [];
    return parameters
      .filter((parameter) => !there.includes(parameter))
      .map((parameter) => {
        const nearest = nearestNames(parameter, there);
        return { type, option, toolName, parameter, nearest };
      });
  });
}

function namesIn(selector: ToolSelector | undefined): readonly string[] {
  return Array.isArray(selector) ? selector : [];
}
