import fc from "fast-check";
import { expect, it } from "vitest";

import { jqPath } from "../../../../src/core/content/json/sets/set-names.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { plantedDocuments } from "../../content/json/sets/arbitrary-documents.js";
import { asker, SESSION } from "./reach.js";

const open = openedOffloaders();

it.each(["lro", "original"] as const)(
  "documents with several sets give the same by a filter that reads a set alone and by one that reads the document (%s)",
  async (fileFormat) => {
    const { offloader } = open({ fileFormat, drillIn: { maxAnswerTokens: 50_000 } });
    await fc.assert(
      fc.asyncProperty(plantedDocuments, async ({ text }) => {
        const stored = await offloader.put(text, { sessionId: SESSION });
        const ask = asker(offloader, stored);
        for (const { path, isMap, count } of stored.storedArtifact.sets ?? []) {
          const at = jqPath(path) + (isMap ? " | to_entries" : "");
          expect(await ask("jq", { filter: `${at}|length` })).toMatch(new RegExp(`^${count}\n`));
          for (const [alone, whole] of [
            [`${at}[] | tostring`, `. | ${at}[] | tostring`],
            [`${at}|length`, `. | ${at} | length`],
            [`${at} | .[1:3], length`, `. | ${at} | .[1:3], length`],
            [`${at}[]? | keys, 1 | . // 2`, `(. | ${at}[]?) | (keys, 1) | . // 2`],
          ] as const) {
            const one = await ask("jq", { filter: alone });
            expect(one).toBe(await ask("jq", { filter: whole }));
          }
        }
      }),
      { numRuns: 6 },
    );
  },
);
