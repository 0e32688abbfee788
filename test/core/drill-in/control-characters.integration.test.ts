import { beforeAll, describe, expect, it } from "vitest";

import { ESCAPED_NOTE } from "../../../src/core/drill-in/shown-text.js";
import { unescapeText } from "./unescape-text.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { inSession, SESSION } from "./in-session.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";

/** What a terminal obeys: ESC, BEL, C1, DEL, bidirectional controls, separators, a lone carriage return. */
const UNSEEN = "\u001b[31m\u0007\u009b2J\u007f\u202e\u2066\u2028\r.";
const VALUE = String.raw`a\u{1b} | \n \\ ${UNSEEN}`;
const OBEYED =
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const RECORDS = Array.from({ length: 60 }, (_, id) => ({
  id,
  [`key ${UNSEEN}`]: id % 2,
  text: VALUE,
}));

const opened = openedOffloaders();
const offloader = sharedOffloader({
  threshold: { bytes: 1 },
  drillIn: { timeoutMs: 25_000, sql: {} },
});

let id = "";
beforeAll(async () => {
  ({ id } = (await inSession(offloader).offload(JSON.stringify(RECORDS))).storedArtifact);
});

/** A cell of SQL as it was. */
function cellOf(shown: string): string {
  return unescapeText(shown).replaceAll(/\\([\\|nr])/g, (_, mark: string) =>
    mark === "n" ? "\n" : mark === "r" ? "\r" : mark,
  );
}

const ask = (tool: string, args: object): Promise<string> =>
  inSession(offloader).ask(tool, { id, ...args });

describe("a control character", () => {
  it("is shown as an escape in a cell of SQL, which says so, and can be turned back", async () => {
    const text = await ask("sql", { query: "SELECT text FROM output LIMIT 1" });
    const [head, cell = "", ...notes] = text.split("\n");
    expect(head).toBe("text");
    expect(cell).not.toMatch(OBEYED);
    expect(cellOf(cell)).toBe(VALUE);
    expect(notes.at(-1)).toBe(ESCAPED_NOTE);
  });

  it.each([
    ["sql", { query: "SELECT * FROM output LIMIT 1" }],
    ["sql", { query: "SELECT text::INTEGER FROM output" }],
    ["sql", { query: "SELECT nothing FROM output" }],
    ["jq", { filter: "if .id == 3 then error(.text) else 1 end" }],
    ["jq", { filter: ".nothing" }],
    ["jq", { filter: ".text | halt_error(0)" }],
    ["grep", { pattern: `(${UNSEEN}` }],
    ["read", { id: UNSEEN }],
  ])("reaches nobody from %s of %j", async (tool, args) => {
    expect(await ask(tool, args)).not.toMatch(OBEYED);
  });

  it("reaches nobody from a descriptor, in any design", async () => {
    const values = [
      JSON.stringify(RECORDS),
      JSON.stringify({ [UNSEEN]: VALUE, rows: RECORDS }),
      JSON.stringify({ [UNSEEN]: { [VALUE]: VALUE.repeat(90) } }),
      `id,name${UNSEEN.replace("\r", "")}\n${`1,${VALUE.replace("\r", "")}\n`.repeat(90)}`,
      `2026-01-01 10:00:00 INFO ${VALUE}\n`.repeat(90),
      `# Title ${VALUE}\n\n- item ${VALUE}\n\n`.repeat(90),
      `words ${VALUE}\n`.repeat(90),
    ];
    for (const design of [lro, atlatl, mcpagent, vectara, metaCc]) {
      const { offloader } = opened({ preset: design(), threshold: { bytes: 1 } });
      for (const value of values) {
        const output = { toolName: "t", value, sessionId: SESSION, title: UNSEEN };
        const result = await offloader.offload(output);
        if (result.outcome !== "offloaded") throw new Error(result.outcome);
        expect(result.text.replaceAll("\r\n", "\n")).not.toMatch(OBEYED);
      }
    }
  });
});

it.each(["\r", "\0", "\u001b[0m"])(
  "pages of %j stay large, although escapes are longer",
  async (mark) => {
    const text = mark.repeat(6_000);
    const { id: marks } = await inSession(offloader).put(text);
    const { text: page } = await inSession(offloader).run("read", { id: marks });
    expect(page.split("\\u{").length).toBeGreaterThan(150);
  },
);
