import { describe, expect, it } from "vitest";

import type { OwnDrillIn } from "../../../src/core/drill-in/drill-in.js";
import type { GrepEngine } from "../../../src/core/engines/grep/engine.js";
import { NO_HITS } from "../../../src/core/engines/grep/job.js";
import { NO_RESULTS } from "../../../src/core/engines/jq/job.js";
import type { JqEngine, JqResult } from "../../../src/core/engines/jq/engine.js";
import { addRecords, CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const store = createTestStore();
const { id } = addRecords(store, [{ name: "a" }], { lineCount: 1000 });
const rest = { outline: async () => undefined, warm: () => {}, close: async () => {} };

/** Drill-ins whose runs are stopped after so many results. */
function stoppedAfter(count: number, how: Partial<JqResult>): OwnDrillIn {
  const output = Array.from({ length: count }, (_, n) => `"the result with number ${n}"`).join(
    "\n",
  );
  const jq: JqEngine = {
    run: async () => ({ ...NO_RESULTS, output, resultCount: count, ...how }),
    ...rest,
  };
  const grep: GrepEngine = {
    run: async () => ({
      ...NO_HITS,
      lines: [{ lineNumber: 7, text: "a", match: true }],
      totalMatches: count,
      totalOccurrences: count,
      nextLine: 500,
      timedOut: true,
    }),
    ...rest,
  };
  return drillInOver(store, {}, { engines: { jq, grep } });
}

describe("a total that was not counted to the end", () => {
  it.each([{ timedOut: true }, { outOfMemory: true }])(
    "of jq is at least so many, and its next call asks for no more than was found: %j",
    async (how) => {
      const { text } = await stoppedAfter(900, how).run("jq", { id, filter: ".name" }, CALL);
      const shown = Number(/^Results 1 to (\d+) of at least 900\./m.exec(text)?.[1]);
      const next: unknown = JSON.parse(/^Next call: \w+ (.*)$/m.exec(text)?.[1] ?? "");
      expect(next).toEqual({ id, filter: ".name", skip: shown, limit: 900 - shown });
    },
  );

  it("of grep is at least so many, and its next call goes on behind the last that is shown", async () => {
    const { text } = await stoppedAfter(40, {}).run("grep", { id, pattern: "a" }, CALL);
    expect(text).toMatch(/^At least 40 matching lines\./);
    const next = { id, pattern: "a", skip: 1 };
    expect(text.endsWith(`\nNext call: grep_tool_output ${JSON.stringify(next)}`)).toBe(true);
  });
});
