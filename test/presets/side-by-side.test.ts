import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { offloadWith } from "./offload-with.js";

/** One tool output for all five: 600 tickets and a cursor. */
const rows = Array.from({ length: 600 }, (_, at) => ({
  id: 1000 + at,
  title: `Ticket ${at}: export to CSV stops at row ${at * 7}`,
  status: at % 4 === 0 ? "open" : "closed",
  assignee: at % 9 === 0 ? null : `user-${at % 9}`,
  updated: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
}));
const output = JSON.stringify({ rows, next_cursor: "c-600" });

const presets: Readonly<Record<string, OffloadOptions>> = {
  lro: { preset: lro() },
  atlatl: { preset: atlatl() },
  mcpagent: { preset: mcpagent() },
  vectara: { preset: vectara({ onWarning: () => {} }) },
  metaCc: { preset: metaCc() },
};

describe("docs/presets.md", () => {
  const page = readFileSync(new URL("../../docs/presets.md", import.meta.url), "utf8");

  it.each(Object.keys(presets))("states what %s costs on the same output", async (name) => {
    const around = { toolName: "list_tickets", contextWindowTokens: 32_000 };
    const { result } = await offloadWith(presets[name] ?? {}, output, around);
    if (result.outcome !== "offloaded")
      throw new Error(`${name} left the output ${result.outcome}`);
    const { form, tokens } = result.descriptor;
    const [, statedForm, statedTokens] =
      new RegExp(`^\\| \`${name}\` +\\| (\\S+) +\\| ([\\d,]+) +\\|`, "m").exec(page) ?? [];
    expect(statedForm).toBe(form);
    // The id in the file's name costs a few tokens more or less.
    expect(Math.abs(tokens - Number(statedTokens?.replaceAll(",", "")))).toBeLessThanOrEqual(25);
  });
});
