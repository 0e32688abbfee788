import { emit, type OffloadEvent } from "../../../events.js";
import { scopeOf } from "../../../store/naming.js";
import type { CallKey } from "./call-log.js";
import type { CallOutcome } from "./call-result.js";
import type { RunParts } from "./run-parts.js";

type CalledEvent = Extract<OffloadEvent, { readonly type: "tool-called" }>;

/** A call that was begun, and has to be told of. */
export interface ToldCall {
  readonly key: CallKey;
  readonly argumentBytes: number;
  readonly startedAt: number;
}

/** Tells of each call that was begun, once. */
export interface CallTeller {
  begun(key: CallKey, args: unknown): ToldCall;
  /** That a person is asked about it; what becomes of it is told when that is known. */
  asked(call: ToldCall): void;
  ended(
    call: ToldCall,
    ended: Pick<CallOutcome, "result" | "resultBytes"> & Pick<CalledEvent, "outcome">,
  ): void;
  /** It ends the run, and is called again when that is resumed. */
  forget(call: ToldCall): void;
  isForgotten(call: ToldCall): boolean;
  /** Tells that what goes on was abandoned: what it comes to is not looked at. */
  close(): void;
}

/** Creates what tells of the calls of one attempt. */
export function callTeller({
  notify,
  sessionId,
  callId,
}: Pick<RunParts, "notify" | "sessionId" | "callId">): CallTeller {
  const open = new Set<ToldCall>();

  function tell(
    { key, argumentBytes, startedAt }: ToldCall,
    told: Pick<CalledEvent, "outcome" | "resultBytes" | "artifactId">,
  ): void {
    emit(notify, {
      type: "tool-called",
      toolName: key.toolName,
      toolCallId: `${callId}.${key.index}`,
      parentToolCallId: callId,
      scope: scopeOf(sessionId),
      argumentBytes,
      durationMs: performance.now() - startedAt,
      ...told,
    });
  }

  return {
    begun(key, args) {
      const argumentBytes = Buffer.byteLength(JSON.stringify(args));
      const call = { key, argumentBytes, startedAt: performance.now() };
      open.add(call);
      return call;
    },
    asked: (call) => tell(call, { outcome: "asked", resultBytes: 0, artifactId: undefined }),
    ended(call, { outcome, result, resultBytes }) {
      if (!open.delete(call)) return;
      tell(call, {
        outcome,
        resultBytes,
        artifactId: "storedId" in result ? result.storedId : undefined,
      });
    },
    forget: (call) => void open.delete(call),
    isForgotten: (call) => !open.has(call),
    close() {
      for (const call of open) {
        tell(call, { outcome: "abandoned", resultBytes: 0, artifactId: undefined });
      }
      open.clear();
    },
  };
}
