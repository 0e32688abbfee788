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

/** Names of a tool's parameters, by its name; none where it takes any. */
type KnownTools = Map<string, readonly string[] | undefined>;

/** Tools that adapters of an offloader have shown, and what was told of its options. */
const toldOf = new WeakMap<
  Offloader,
  { readonly tools: KnownTools; readonly names: Set<string> }
>();

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
  const { tools, names } = toldOf.get(offloader) ?? { tools: new Map(), names: new Set() };
  toldOf.set(offloader, { tools, names });
  for (const tool of given) {
    // One that a provider runs has no name of ours.
    const name = fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name");
    if (typeof name === "string") tools.set(name, parametersOf(tool));
  }
  if (tools.size === 0) return;
  for (const unknown of unknownTools(offloader.options, hooks, tools)) {
    const name = JSON.stringify([unknown.option, unknown.toolName, unknown.parameter]);
    if (names.has(name) || (isShared && unknown.nearest.length === 0)) continue;
    names.add(name);
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
  tools: KnownTools,
): readonly UnknownTool[] {
  const { include, exclude, perTool } = options;
  const type = "unknown-tool";
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  const named: NamedTool[] = hooks.flatMap((own) => own.named ?? []);
  for (const [option, names] of Object.entries({ include, exclude, perTool: [...perTool.keys()] }))
    if (Array.isArray(names))
      named.push(...names.map((toolName: string) => ({ option, toolName })));
  return named.flatMap(({ option, toolName, parameters = [] }): UnknownTool[] => {
    if (!tools.has(toolName)) {
      const isTold = option !== "perTool" && perTool.has(toolName);
      if (isTold || unjudged.includes(toolName)) return [];
      const nearest = nearestNames(toolName, [...tools.keys()]);
      return [{ type, option, toolName, parameter: undefined, nearest }];
    }
    const there = tools.get(toolName);
    const unknown = there ? parameters.filter((parameter) => !there.includes(parameter)) : [];
    return unknown.map((parameter) => {
      return { type, option, toolName, parameter, nearest: nearestNames(parameter, there ?? []) };
    });
  });
}
