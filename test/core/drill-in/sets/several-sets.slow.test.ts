import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openedOffloaders } from "../../../opened-offloaders.js";
import { plantedDocuments } from "../../content/json/sets/arbitrary-documents.js";
import { asker, SESSION } from "./reach.js";

const open = openedOffloaders();

describe("documents with several sets in SQL", () => {
  it.each(["lro", "original"] as const)(
    "have a table for each set with all its records (%s)",
    async (fileFormat) => {
      const { offloader } = open({
        fileFormat,
        drillIn: { sql: {}, timeoutMs: 60_000 },
      });
      await fc.assert(
        fc.asyncProperty(plantedDocuments, async ({ text, sets: planted }) => {
          const stored = await offloader.put(text, { sessionId: SESSION });
          const { sets = [] } = stored.storedArtifact;
          fc.pre(sets.length > 0);
          const ask = asker(offloader, stored);
          for (const { path, table, count, isMap } of sets) {
            const answer = await ask("sql", { query: `SELECT count(*) FROM ${table}` });
            expect(answer.split("\n")[1]).toBe(String(count));
            const own = planted.find((set) => set.path.join("\n") === path.join("\n"));
            if (own === undefined || isMap) continue;
            const sum = await ask("sql", { query: `SELECT sum(${own.marker}) FROM ${table}` });
            expect(sum.split("\n")[1]).toBe(String((count * (count - 1)) / 2));
          }
        }),
        { numRuns: 12 },
      );
    },
  );
});
