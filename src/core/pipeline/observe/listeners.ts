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

const MAX_NAME_CHARACTERS = 64;

/**
 * A process warning of type `OffloadWarning` for each kind of failure, without error messages, which may contain
 * data.
 */
function warnOfFailures(): OffloadListener {
  const warned = new Set<string>();
  return (event) => {
    const { kind, what, instead } = failureOf(event) ?? {};
    if (kind === undefined || warned.has(kind)) return;
    warned.add(kind);
    process.emitWarning(
      `${what}, and ${instead}. This is said once. Pass onEvent to hear of each; its event ${event.type} has the error.`,
      "OffloadWarning",
    );
  };
}

interface Failure {
  readonly kind: string;
  readonly what: string;
  readonly instead: string;
}

function failureOf(event: OffloadEvent): Failure | undefined {
  switch (event.type) {
    case "option-failed": {
      const { option } = event;
      return {
        kind: option,
        what: `${option} ${failedFor(event)}`,
        instead: "its default is used",
      };
    }
    case "plugin-failed": {
      const { plugin, hook } = event;
      const what = `${hook} of the plug-in ${shownName(plugin)} ${failedFor(event)}`;
      const instead = hook === "clean" ? "the output is withheld" : "it is passed over";
      return { kind: `${plugin} ${hook}`, what, instead };
    }
    case "write-failed": {
      const { fallback, store, error } = event;
      // Reported to the caller of `put`, or by another event.
      if (fallback === "rejected" || hasErrorCode(error, "REDACT_FAILED")) return undefined;
      const what = `Storing in ${shownName(store)}, or describing, ${failedFor(event)}`;
      const instead = fallback === "inline" ? "the model got all of it" : "the rest of it is lost";
      return { kind: event.type, what, instead };
    }
    default:
      return undefined;
  }
}

function failedFor({
  toolName,
  error,
}: {
  readonly toolName?: string | undefined;
  readonly error: unknown;
}): string {
  const ofTool = toolName === undefined ? "" : `for the tool ${shownName(toolName)} `;
  return `failed ${ofTool}(${shownName(errorName(error))})`;
}

function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replaceAll(/[^\w.:/-]/g, "?");
}
