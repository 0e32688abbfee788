import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jqPath } from "../../../../src/core/content/json/sets/set-names.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { plantedDocuments } from "../../content/json/sets/arbitrary-documents.js";
import { asker, expectCounts, SESSION } from "./reach.js";

const open = openedOffloaders();

describe("documents with several sets", () => {
  it.each(["lro", "original"] as const)(
    "are counted right by jq and grep, whatever is in them (%s)",
    async (fileFormat) => {
      const { offloader } = open({ fileFormat });
      await fc.assert(
        fc.asyncProperty(plantedDocuments, async ({ text, sets, rest }) => {
          const stored = await offloader.put(text, { sessionId: SESSION });
          const found = stored.storedArtifact.sets ?? [];
          fc.pre(found.length > 0);
          if (fileFormat === "lro") await expectCounts(offloader, stored, sets);
          const ask = asker(offloader, stored);
          for (const { path, count } of found) {
            const answer = await ask("jq", { filter: `${jqPath(path)} | length` });
            expect(answer.split("\n")[0]).toBe(String(count));
          }
          for (const path of rest) {
            const answer = await ask("jq", {
              filter: `[paths] | any(. == ${JSON.stringify(path)})`,
            });
            expect(answer.split("\n")[0]).toBe("true");
          }
        }),
        { numRuns: 6 },
      );
    },
  );

  it("give the same by a filter that reads a set alone and by one that reads the document", async () => {
    const { offloader } = open({ drillIn: { maxAnswerTokens: 50_000 } });
    await fc.assert(
      fc.asyncProperty(plantedDocuments, async ({ text }) => {
        const stored = await offloader.put(text, { sessionId: SESSION });
        const ask = asker(offloader, stored);
        for (const { path, isMap } of stored.storedArtifact.sets ?? []) {
          const at = jqPath(path) + (isMap ? " | to_entries" : "");
          for (const [alone, whole] of [
            [`${at}[] | tostring`, `. | ${at}[] | tostring`],
            [`${at}|length`, `. | ${at} | length`],
            [`${at} | .[1:3], length`, `. | ${at} | .[1:3], length`],
            [`${at}[]? | keys, 1 | . // 2`, `(. | ${at}[]?) | (keys, 1) | . // 2`],
          ] as const) {
            const [one, other] = [
              await ask("jq", { filter: alone }),
              await ask("jq", { filter: whole }),
            ];
            expect(one).toBe(other);
          }
        }
      }),
      { numRuns: 12 },
    );
  });
});
