import { expect } from "vitest";

import { jqPath } from "../../../../src/core/content/json/sets/set-names.js";
import type { Offloader } from "../../../../src/core/pipeline/offloader.js";
import type { OffloadedOutput } from "../../../../src/core/types/result.js";
import type { PlantedSet } from "../../content/json/sets/arbitrary-documents.js";

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

/** That jq and grep count each planted set as it is, wherever in the document it is. */
export async function expectCounts(
  offloader: Offloader,
  stored: OffloadedOutput,
  planted: readonly PlantedSet[],
): Promise<void> {
  const ask = asker(offloader, stored);
  const sets = stored.storedArtifact.sets ?? [];
  for (const { path, marker, count, isMap } of planted) {
    const own = sets.find((set) => set.path.join("\n") === path.join("\n"));
    expect((await ask("jq", { filter: `${jqPath(path)} | length` })).split("\n")[0]).toBe(
      String(count),
    );
    const each = isMap ? "to_entries[] | .value" : ".[]";
    const sum = `[. | ${jqPath(path)} | ${each} | .${marker}] | add`;
    const wanted = String((count * (count - 1)) / 2);
    expect((await ask("jq", { filter: sum })).split("\n")[0]).toBe(wanted);
    if (own === undefined) continue;
    expect(own.count).toBe(count);
    const hits = await ask("grep", { pattern: `"${marker}":`, literal: true, count_only: true });
    expect(hits).toMatch(new RegExp(`^${count} matching lines?[.,]`));
  }
}
