import * as nodeModule from "node:module";

import type * as OpenTelemetry from "@opentelemetry/api";

import * as z from "zod";

import { errorName, OffloadError } from "../../core/types/errors.js";
import { checkedOptions, optionsOf } from "../../util/option-rules.js";
import type { OffloadEvent } from "../../core/types/events.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import type { StoredArtifact } from "../../core/types/artifact.js";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is used of OpenTelemetry's `Tracer`, so that the types of this entry hold where its package is not installed. */
interface SpanMaker {
  startSpan(
    name: string,
    options: { startTime: number; attributes: Record<string, string | number | boolean> },
  ): {
    setStatus(status: { code: number; message: string }): unknown;
    end(endTime: number): void;
  };
}

/** Where spans go. */
export interface OpenTelemetryOptions {
  /**
   * Makes the spans.
   *
   * @defaultValue the tracer `langchain-offload` of the global tracer provider
   */
  readonly tracer?: SpanMaker;
}

const PREFIX = "langchain_offload";
/** `SpanStatusCode.ERROR`, so that nothing is loaded when a tracer is given. */
const STATUS_ERROR = 2;

/**
 * Turns each event into a span named `langchain_offload.` and the event's type,
 * a child of the span that is active where the event happens. Its attributes have the same prefix:
 * sizes in bytes, counts in tokens, names and ids; never an output, an argument or a path. What
 * takes time, offloading and drilling in, has a span as long; what only happens has one of no length. A
 * failed write has the status error.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when there is no tracer and
 * `@opentelemetry/api` is not installed.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OffloadPlugin {
  const checked = checkedOptions<OpenTelemetryOptions>(
    "openTelemetry",
    optionsOf({ tracer: z.unknown().optional() }),
    options,
  );
  const tracer = checked.tracer ?? globalTracer();
  const onEvent = (event: OffloadEvent): void => {
    const endTime = Date.now();
    const durationMs = "durationMs" in event ? event.durationMs : 0;
    const span = tracer.startSpan(`${PREFIX}.${event.type}`, {
      startTime: endTime - durationMs,
      attributes: prefixed(attributesOf(event)),
    });
    if (event.type === "write-failed") {
      span.setStatus({ code: STATUS_ERROR, message: errorName(event.error) });
    }
    span.end(endTime);
  };
  return { name: "opentelemetry", setup: () => ({ onEvent }) };
}

/** Loaded here and not at the top, so that this module works with a given tracer alone. */
function globalTracer(): SpanMaker {
  try {
    const require = nodeModule.createRequire(import.meta.url);
    const api: typeof OpenTelemetry = require("@opentelemetry/api");
    return api.trace.getTracer("langchain-offload");
  } catch (cause) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "Spans need the package @opentelemetry/api, which could not be loaded. Install it, or pass { tracer }.",
      { cause },
    );
  }
}

function attributesOf(event: OffloadEvent): Attributes {
  switch (event.type) {
    case "offloaded":
      return {
        ...artifactAttributes(event.storedArtifact),
        reason: event.reason,
        form: event.form,
        tokens_exact: event.tokensExact,
        descriptor_tokens: event.descriptorTokens,
        tokens_saved: event.tokensSaved,
        characters_tokens: event.byCharacters?.tokens,
        duration_ms: event.durationMs,
      };
    case "drilled-in":
      return {
        drill_in_tool: event.tool,
        artifact_id: event.artifactId,
        answer_tokens: event.answerTokens,
        failed: event.failed,
        duration_ms: event.durationMs,
      };
    case "aged":
      return {
        results: event.results,
        freed_tokens: event.freedTokens,
        rewritten_tokens: event.rewrittenTokens,
        break_even_calls: event.breakEvenCalls,
      };
    case "restored":
      return { artifact_id: event.artifactId, answer_tokens: event.answerTokens };
    case "referenced":
      return {
        tool_name: event.toolName,
        artifact_id: event.artifactId,
        size_bytes: event.sizeBytes,
        failed: event.failed,
        duration_ms: event.durationMs,
      };
    case "tool-called":
      return {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        parent_tool_call_id: event.parentToolCallId,
        outcome: event.outcome,
        argument_bytes: event.argumentBytes,
        result_bytes: event.resultBytes,
        artifact_id: event.artifactId,
        duration_ms: event.durationMs,
      };
    case "kept-inline":
      return {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        tokens: event.tokens,
        characters_tokens: event.byCharacters.tokens,
      };
    case "missing":
    case "expired":
    case "evicted":
      return artifactAttributes(event.storedArtifact);
    case "write-failed":
      return {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        store: event.store,
        fallback: event.fallback,
        error_code: OffloadError.isInstance(event.error) ? event.error.code : undefined,
      };
    case "option-failed":
      return {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        option: event.option,
        error_code: OffloadError.isInstance(event.error) ? event.error.code : undefined,
      };
    case "plugin-failed":
      return {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        plugin: event.plugin,
        hook: event.hook,
        error_code: OffloadError.isInstance(event.error) ? event.error.code : undefined,
      };
    case "plugin-event":
      return { plugin: event.plugin, name: event.name };
    case "unknown-tool":
      return { tool_name: event.toolName, parameter: event.parameter, option: event.option };
    case "tools-shown":
      return { definition_tokens: event.definitionTokens };
    case "truncated":
      return {
        reason: event.reason,
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        tokens: event.totalTokens,
        returned_tokens: event.returnedTokens,
        tokens_saved: event.totalTokens - event.returnedTokens,
      };
  }
}

function artifactAttributes(artifact: StoredArtifact): Attributes {
  return {
    artifact_id: artifact.id,
    tool_name: artifact.toolName,
    kind: artifact.kind,
    size_bytes: artifact.sizeBytes,
    record_count: artifact.recordCount,
    tokens: artifact.tokens,
    created_at: artifact.createdAt,
    expires_at: artifact.expiresAt,
  };
}

function prefixed(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[`${PREFIX}.${name}`, value]],
    ),
  );
}
