import type { Offloader } from "../../../../src/core/pipeline/offloader.js";
import type { OffloadedOutput } from "../../../../src/core/types/result.js";

export const SESSION = "s";

/** Asks a stored output; the answer must not be a refusal. */
export function asker(
  { drillIn }: Offloader,
  { storedArtifact: { id, sessionKey } }: OffloadedOutput,
): (tool: "jq" | "grep" | "read" | "sql" | "extract", args: object) => Promise<string> {
  return async (tool, args) => {
    const reference = tool === "extract" ? { file_path: id } : { id };
    const { text } = await drillIn.run(tool, { ...reference, ...args }, { sessionKey });
    return text;
  };
}

/** The descriptor, parsed. */
export function descriptorOf({ text }: OffloadedOutput): {
  readonly summary: {
    readonly count: number;
    readonly records_at: readonly { path: string; count: number; lines?: string; table?: string }[];
    readonly rest?: Readonly<Record<string, unknown>>;
  };
  readonly line_schema: Readonly<Record<string, unknown>>;
  readonly jq_recipes: readonly { description: string; command: string }[];
  readonly guidance: string;
} {
  return JSON.parse(text);
}
