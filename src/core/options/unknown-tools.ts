import type { ToolSelector } from "../decide/scope.js";
import { neverIn, referencesOf, toolsNamedIn } from "../describe/references.js";
import type { OffloadEvent } from "../types/events.js";
import { nearestNames } from "../../util/nearest-names.js";
import type { ResolvedOffloadOptions } from "./resolved-options.js";
import { ownToolNames } from "./resolve-options.js";

/** What an option names that is not there. */
export type UnknownTool = Extract<OffloadEvent, { readonly type: "unknown-tool" }>;

/** A tool that is there. */
export interface KnownTool {
  readonly name: string;
  /** Names of its parameters; `undefined` where it takes any. */
  readonly parameters: readonly string[] | undefined;
}

/** Under these names code and users store. */
const NAMES_WITHOUT_TOOL = ["put", "user_message"];

/**
 * The tools, and parameters of tools, that `references` and `scope` name and that are not among the given. What a
 * function or `metadata` selects is not judged.
 */
export function unknownTools(
  options: Pick<
    ResolvedOffloadOptions,
    "references" | "scope" | "perTool" | "code" | "toolNames" | "toolShapes"
  >,
  tools: readonly KnownTool[],
): readonly UnknownTool[] {
  const { references, scope, perTool, code } = options;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const known = [...byName.keys()];
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  const unknownAmong = (option: UnknownTool["option"], names: Iterable<string>): UnknownTool[] =>
    [...names]
      .filter((name) => !byName.has(name) && !unjudged.includes(name))
      .map((toolName) => {
        const nearest = nearestNames(toolName, known);
        return { type: "unknown-tool", option, toolName, parameter: undefined, nearest };
      });
  const referring = toolsNamedIn(references);
  return [
    ...unknownAmong("references", [...referring, ...(neverIn(references) ?? [])]),
    ...unknownAmong("scope.include", namesIn(scope.include)),
    ...unknownAmong("scope.exclude", namesIn(scope.exclude)),
    ...unknownAmong("scope.perTool", perTool.keys()),
    ...unknownAmong("drillIn.code.tools", code?.calls?.tools ?? []),
    ...unknownAmong("drillIn.code.interruptOn", code?.calls?.asking ?? []),
    ...referring.flatMap((name) =>
      unknownParameters(byName.get(name), referencesOf(references, name)?.parameters),
    ),
  ];
}

function unknownParameters(
  tool: KnownTool | undefined,
  named: readonly string[] = [],
): UnknownTool[] {
  const { name: toolName = "", parameters } = tool ?? {};
  if (parameters === undefined) return [];
  return named
    .filter((parameter) => !parameters.includes(parameter))
    .map((parameter) => {
      const nearest = nearestNames(parameter, parameters);
      return { type: "unknown-tool", option: "references", toolName, parameter, nearest };
    });
}

function namesIn(selector: ToolSelector | undefined): readonly string[] {
  return Array.isArray(selector) ? selector : [];
}
