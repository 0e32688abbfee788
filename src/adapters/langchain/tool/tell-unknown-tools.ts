import { ownToolNames } from "../../../core/options/tools.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { emit } from "../../../core/types/events.js";
import { fieldOf } from "../../../util/field-of.js";
import { nearestNames } from "../../../util/nearest-names.js";
import { warnOnce } from "../../../util/warn-once.js";
import type { AgentHooks } from "../agent-hooks.js";

interface Told {
  readonly names: Set<string>;
  readonly told: Set<string>;
}

const toldOf = new WeakMap<Offloader, Told>();

const NAMES_WITHOUT_TOOL = ["put", "user_message"];

/**
 * Each is reported once. A shared offloader's options may name another agent's tools, so only names
 * close to a known one count.
 */
export function tellUnknownTools(
  offloader: Offloader,
  hooks: readonly AgentHooks[],
  given: readonly unknown[],
  isShared: boolean,
): void {
  const { options } = offloader;
  const { include, exclude, perTool, onEvent } = options;
  const unjudged = [...NAMES_WITHOUT_TOOL, ...ownToolNames(options)];
  const { names, told }: Told = toldOf.get(offloader) ?? { names: new Set(), told: new Set() };
  toldOf.set(offloader, { names, told });
  for (const tool of given) {
    // A tool that the provider runs has no `name`.
    const name = fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name");
    if (typeof name === "string" && !unjudged.includes(name)) names.add(name);
  }
  if (names.size === 0) return;
  const ofOptions = Object.entries({ include, exclude, perTool: [...perTool.keys()] }).flatMap(
    ([option, list]) =>
      Array.isArray(list) ? list.map((toolName: string) => ({ option, toolName })) : [],
  );
  for (const { option, toolName } of [...hooks.flatMap((own) => own.named ?? []), ...ofOptions]) {
    const key = JSON.stringify([option, toolName]);
    const isTold = told.has(key) || (option !== "perTool" && perTool.has(toolName));
    if (names.has(toolName) || isTold || unjudged.includes(toolName)) continue;
    const nearest = nearestNames(toolName, [...names]);
    if (isShared && nearest.length === 0) continue;
    told.add(key);
    emit(onEvent, { type: "unknown-tool", option, toolName, nearest });
    const hint = nearest.map((name) => JSON.stringify(name)).join(" or ");
    warnOnce(
      `${option} names ${JSON.stringify(toolName)}, but this agent has no tool with that name.` +
        (hint === "" ? "" : ` Did you mean ${hint}?`),
    );
  }
}

let areAnyMade = false;

export function noteReadingTools(): void {
  areAnyMade = true;
}

export function tellLackingTools({ options }: Offloader, toolName: string): void {
  if (areAnyMade || ownToolNames(options).length === 0) return;
  warnOnce(
    `An output of ${JSON.stringify(toolName)} was stored, but nothing has asked for the tools that read it. Share an offloader: ` +
      "withOffload(tool, { offloader }), and createDrillInTools(offloader) among the tools of the agent.",
  );
}
