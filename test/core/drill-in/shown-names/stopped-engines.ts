import type { DrillInOptions } from "../../../../src/core/drill-in/drill-in.js";
import { NO_HITS } from "../../../../src/core/engines/grep/job.js";
import type { JqResult } from "../../../../src/core/engines/jq/job.js";
import { NO_RESULT } from "../../../../src/core/engines/sql/request.js";

/** Why a run ends before it is done, and with how many results. */
export interface Stop {
  readonly limit: "memory" | "time";
  readonly results: number;
}

/** Engines that reach a limit whatever they are asked. */
export function stoppedEngines(stop: () => Stop): Required<Pick<DrillInOptions, "engines">> {
  const outcome = (): Pick<JqResult, "timedOut" | "outOfMemory"> => ({
    timedOut: stop().limit === "time",
    outOfMemory: stop().limit === "memory",
  });
  const close = (): Promise<void> => Promise.resolve();
  const idle = { warm: () => {}, outline: () => Promise.resolve(undefined), close };
  const texts = (): string[] =>
    Array.from({ length: stop().results }, (_, n) => `"result ${n} ${"of many ".repeat(9)}"`);
  return {
    engines: {
      jq: {
        ...idle,
        run: () =>
          Promise.resolve({
            ...outcome(),
            output: texts().join("\n"),
            resultCount: stop().results,
            truncated: true,
            error: undefined,
          }),
      },
      grep: {
        ...idle,
        run: () =>
          Promise.resolve({
            ...NO_HITS,
            ...outcome(),
            lines: texts().map((text, index) => ({ lineNumber: index + 2, text, match: true })),
            totalMatches: stop().results,
            totalOccurrences: stop().results,
            truncated: true,
            timedOut: true,
            nextLine: 400,
          }),
      },
      sql: {
        close,
        warm: () => {},
        run: () =>
          Promise.resolve({
            ...NO_RESULT,
            ...outcome(),
            head: "text",
            rows: texts(),
            rowCount: stop().results,
            uncounted: true,
            tables: [{ name: "output", columns: [{ name: "city", type: "VARCHAR" }] }],
          }),
      },
    },
  };
}
