import { keepLatest } from "../../../util/keep-latest.js";
import type { PluginHost } from "../../plugin-host/plugin-host.js";
import { errorName, hasErrorCode } from "../../types/errors.js";
import { type Notify, type OffloadEvent, type OffloadListener, emit } from "../../types/events.js";
import { type StatsCounter, createStats } from "./stats.js";

export interface Listeners {
  readonly stats: StatsCounter;
  readonly notify: Notify;
  readonly onEvent: OffloadListener;
}

const MAX_CALLS = 1000;

export function createListeners(
  onEvent: OffloadListener | undefined = warnOfFailures(),
  host: () => Pick<PluginHost, "onEvent">,
): Listeners {
  const stats = createStats();
  const notify = tellOnce((event, detail = {}) => {
    stats.listener(event);
    host().onEvent(event, detail);
    emit(onEvent, event);
  });
  return { stats, notify, onEvent };
}

/** Once per call and artifact, because a resumed node repeats its calls. Calls without an id count as new. */
function tellOnce(listener: Notify): Notify {
  const told = new Map<string, true>();
  return (event, detail) => {
    if (event.type === "offloaded" && event.toolCallId) {
      const { id, sessionKey } = event.storedArtifact;
      const call = `${sessionKey} ${id} ${event.toolCallId}`;
      const isTold = told.has(call);
      keepLatest(told, call, true, MAX_CALLS);
      if (isTold) return;
    }
    listener(event, detail);
  };
}

const INSTEAD: Readonly<Record<Failed<"option-failed">["option"], string>> = {
  access: "nothing of another session was read",
  "describe.describer": "the usual descriptor stood in for it",
  fileName: "the usual name stood in for it",
};
const MAX_NAME_CHARACTERS = 64;

type Failed<Type> = Extract<OffloadEvent, { readonly type: Type }>;

/**
 * A process warning of type `OffloadWarning` for each kind of failure, without error messages, which may contain
 * data.
 */
function warnOfFailures(): OffloadListener {
  const warned = new Set<string>();
  return (event) => {
    const [kind, sentence] = failureOf(event) ?? [];
    if (kind === undefined || warned.has(kind)) return;
    warned.add(kind);
    process.emitWarning(
      `${sentence} This is said once. Pass onEvent to hear of each; its event ${event.type} has the error.`,
      "OffloadWarning",
    );
  };
}

function failureOf(event: OffloadEvent): readonly [kind: string, sentence: string] | undefined {
  if (event.type === "option-failed") {
    const { option } = event;
    return [option, `${option} failed ${whereOf(event)}, and ${INSTEAD[option]}.`];
  }
  if (event.type === "plugin-failed") {
    const { plugin, hook } = event;
    const instead =
      hook === "clean"
        ? "the output is withheld: the model got a sentence for it"
        : "the library went on without it";
    return [
      `${plugin} ${hook}`,
      `${hook} of the plug-in ${shownName(plugin)} failed ${whereOf(event)}, and ${instead}.`,
    ];
  }
  if (event.type !== "write-failed") return undefined;
  // Reported to the caller of `put`, or by another event.
  if (event.fallback === "rejected" || hasErrorCode(event.error, "REDACT_FAILED")) return undefined;
  const got = event.fallback === "inline" ? "all of it" : "a part of it, said to be final";
  const store = shownName(event.store);
  return [
    event.type,
    `An output was not stored or described (store ${store}) ${whereOf(event)}: the model got ${got}.`,
  ];
}

function whereOf({
  toolName,
  error,
}: Failed<"option-failed" | "plugin-failed" | "write-failed">): string {
  const ofTool = toolName === undefined ? "" : `for the tool ${shownName(toolName)} `;
  return `${ofTool}(${shownName(errorName(error))})`;
}

function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replaceAll(/[^\w.:/-]/g, "?");
}
