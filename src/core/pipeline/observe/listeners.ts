import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";
import type { PluginHost } from "../../plugin-host/plugin-host.js";
import { errorName, hasErrorCode } from "../../types/errors.js";
import { type Notify, type OffloadEvent, type OffloadListener, emit } from "../../types/events.js";
import { type StatsCounter, createStats } from "./stats.js";

interface Listeners {
  readonly stats: StatsCounter;
  readonly notify: Notify;
  readonly onEvent: OffloadListener;
}

const MAX_CALLS = 1000;

export function createListeners(
  onEvent: OffloadListener | undefined = warnOfFailures(),
  host: () => PluginHost,
): Listeners {
  const stats = createStats();
  const notify = tellOnce((event, detail = {}) => {
    showErrorInJson(event);
    stats.listener(event);
    host().onEvent(event, detail);
    emit(onEvent, event);
  });
  return { stats, notify, onEvent };
}

/** An `Error` alone is `{}` in JSON. */
function showErrorInJson(event: OffloadEvent): void {
  if (!("error" in event) || !(event.error instanceof Error)) return;
  const { name, message } = event.error;
  const error = { name, code: fieldOf(event.error, "code"), message };
  Object.defineProperty(event, "toJSON", { value: () => ({ ...event, error }) });
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
    const what = failureOf(event);
    if (what === undefined || warned.has(what) || !("error" in event)) return;
    warned.add(what);
    const { toolName, error } = event;
    const ofTool = toolName === undefined ? "" : `for the tool ${shownName(toolName)} `;
    process.emitWarning(
      `${what} failed ${ofTool}(${shownName(errorName(error))}). This is reported once. Pass onEvent to hear of each; its event ${event.type} has the error.`,
      "OffloadWarning",
    );
  };
}

function failureOf(event: OffloadEvent): string | undefined {
  switch (event.type) {
    case "option-failed":
      return event.option;
    case "plugin-failed":
      return `${event.hook} of the plugin ${shownName(event.plugin)}`;
    case "write-failed": {
      const { fallback, store, error } = event;
      // Reported to the caller of `put`, or by another event.
      const isTold = fallback === "rejected" || hasErrorCode(error, "REDACT_FAILED");
      return isTold ? undefined : `Storing an output in ${shownName(store)}, or describing it,`;
    }
    default:
      return undefined;
  }
}

function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replaceAll(/[^\w.:/-]/g, "?");
}
