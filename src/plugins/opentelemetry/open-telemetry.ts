import * as nodeModule from "node:module";

import type * as OpenTelemetry from "@opentelemetry/api";

import { errorName, OffloadError } from "../../core/types/errors.js";
import type { OffloadEvent } from "../../core/types/events.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";

type Attributes = Record<string, string | number | boolean>;

const PREFIX = "langchain_offload";

/**
 * Turns each event into a span named `langchain_offload.` and the event's type, a child of the active span. Its
 * attributes have the same prefix: sizes in bytes, counts in tokens, names and ids; never an output, an argument or a
 * path. A span is as long as its event's `durationMs`, or has no length. A failed write has the status error.
 * They go to the tracer `langchain-offload` of the global tracer provider.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when `@opentelemetry/api` is not installed.
 */
export function openTelemetry(): OffloadPlugin {
  const { SpanStatusCode, trace } = openTelemetryApi();
  const tracer = trace.getTracer("langchain-offload");
  const onEvent = (event: OffloadEvent) => {
    const endTime = Date.now();
    const durationMs = "durationMs" in event ? event.durationMs : 0;
    const span = tracer.startSpan(`${PREFIX}.${event.type}`, {
      startTime: endTime - durationMs,
      attributes: attributesOf(event),
    });
    if (event.type === "write-failed") {
      span.setStatus({ code: SpanStatusCode.ERROR, message: errorName(event.error) });
    }
    span.end(endTime);
  };
  return { name: "opentelemetry", setup: () => ({ onEvent }) };
}

function openTelemetryApi(): typeof OpenTelemetry {
  try {
    const require = nodeModule.createRequire(import.meta.url);
    const api: typeof OpenTelemetry = require("@opentelemetry/api");
    return api;
  } catch (cause) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "Spans need the package @opentelemetry/api, which could not be loaded. Install it.",
      { cause },
    );
  }
}

const LEFT_OUT: ReadonlySet<string> = new Set(["type", "sessionKey", "specName", "data", "error"]);
const OF_ARTIFACT = [
  "toolName",
  "kind",
  "sizeBytes",
  "recordCount",
  "tokens",
  "createdAt",
  "expiresAt",
] as const;

function attributesOf(event: OffloadEvent): Attributes {
  const attributes: Attributes = {};
  const add = (name: string, value: unknown) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      attributes[`${PREFIX}.${words}`] = value;
  };
  for (const [name, value] of Object.entries(event)) if (!LEFT_OUT.has(name)) add(name, value);
  if ("storedArtifact" in event) {
    add("artifactId", event.storedArtifact.id);
    for (const name of OF_ARTIFACT) add(name, event.storedArtifact[name]);
  }
  if ("error" in event && OffloadError.isInstance(event.error)) add("errorCode", event.error.code);
  return attributes;
}
