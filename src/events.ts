import type { DescriptorForm, StoredArtifact } from "./types.js";

/** What happened, for logs, metrics and tests. Sizes are bytes, times are milliseconds. */
export type OffloadEvent =
  | {
      readonly type: "offloaded";
      readonly storedArtifact: StoredArtifact;
      readonly form: DescriptorForm;
      readonly descriptorTokens: number;
      /** Tokens of the output less those of the descriptor. */
      readonly tokensSaved: number;
      /** Whether `storedArtifact.tokens` was counted in full or estimated from samples. */
      readonly tokensExact: boolean;
      readonly durationMs: number;
    }
  | {
      readonly type: "drilled-in";
      readonly tool: string;
      readonly artifactId: string | undefined;
      readonly answerTokens: number;
      readonly failed: boolean;
      readonly durationMs: number;
    }
  | { readonly type: "expired"; readonly specName: "OffloadFileExpired"; readonly storedArtifact: StoredArtifact }
  | {
      readonly type: "write-failed";
      readonly specName: "OffloadWriteFailed";
      readonly toolName: string;
      readonly toolCallId: string | undefined;
      readonly store: string;
      readonly error: unknown;
    }
  | {
      readonly type: "truncated";
      readonly toolName: string;
      readonly toolCallId: string | undefined;
      readonly totalTokens: number;
      readonly returnedTokens: number;
    };

export type OffloadListener = (event: OffloadEvent) => void;

/** Calls the listener; a listener that throws changes nothing. */
export function emit(listener: OffloadListener | undefined, event: OffloadEvent): void {
  try {
    listener?.(event);
  } catch {
    // A fault in somebody's logging must not cost a tool call.
  }
}
