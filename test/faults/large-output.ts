import type { OffloadEvent, OffloadListener } from "../../src/core/types/events.js";
import type { ToolOutput } from "../../src/core/types/output.js";

/** What a fault test wants to know of an event; plain JSON. */
export interface SeenEvent {
  readonly type: string;
  /** The system's error code. */
  readonly code?: string | undefined;
  readonly specName?: string | undefined;
  readonly fallback?: string | undefined;
  readonly returnedTokens?: number | undefined;
}

/** 2,000 records, far over the threshold. */
export function largeOutput(): ToolOutput {
  const records = Array.from({ length: 2000 }, (_, id) => ({ id, name: `record ${id}`, ok: true }));
  return { toolName: "search", value: JSON.stringify(records), toolCallId: "c", sessionId: "s" };
}

/** A listener and what it has heard. */
export function listen(): { events: SeenEvent[]; onEvent: OffloadListener } {
  const events: SeenEvent[] = [];
  return { events, onEvent: (event) => events.push(seen(event)) };
}

function seen(event: OffloadEvent): SeenEvent {
  const { type } = event;
  if (type === "truncated") return { type, returnedTokens: event.returnedTokens };
  if (type !== "write-failed") return { type };
  const cause = event.error instanceof Error ? event.error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return { type, specName: event.specName, fallback: event.fallback, ...(code && { code }) };
}
