import { describeArtifact } from "../../core/describe/describe.js";
import type { Describer } from "../../core/describe/describer.js";
import { firstWithin } from "../../core/describe/describer.js";
import { lineSchema } from "../../core/describe/forms/line-schema.js";
import { atlatlRecipes } from "./recipes.js";
import { isMemorySet } from "../../core/describe/recipes/memory.js";
import { CURSOR_CHARACTERS, nextPageOf } from "../../core/describe/next-page.js";
import { safeJson } from "../../util/safe-text.js";
import { commandsOf } from "../../core/describe/forms/shown-recipes.js";
import { memorySummary, recordCountOf } from "../../core/describe/summary.js";

/** Most tokens of the response in a directory of the usual length. */
const MAX_TOKENS = 1_600;

/**
 * Describes MIF memories as the older revision does: its OffloadResponse with `score_range`, its ten recipes
 * as shell commands, and its guidance. Memories whose response would cost more than 80 % of them, or that are in a
 * store without local files, get the generic form with these recipes; other outputs get the usual forms.
 *
 * @source LRO specification, older revision, Inline Response Format and Guidance Prompt.
 */
export const describeAsAtlatl: Describer = async (given) => {
  const { content, profile, scoreRange } = given;
  if (profile === undefined || !isMemorySet(profile)) return await describeArtifact(given);
  const storedArtifact = { ...given.storedArtifact, recipes: atlatlRecipes(content, profile) };
  // The extraction tool would run the recipes of the newer revision under these numbers.
  const input = { ...given, storedArtifact, tools: { ...given.tools, extract: undefined } };
  const { filePath: path } = storedArtifact;
  // Its recipes and its guidance are of a file that a shell opens.
  if (path === undefined || storedArtifact.headerBytes === 0)
    return await describeArtifact(input, { form: "generic" });
  const count = recordCountOf(storedArtifact, content);
  const nextPage = await nextPageOf(content, storedArtifact);
  const paging = nextPage.sentence(CURSOR_CHARACTERS);
  const guidance = `${paging === "" ? "" : `${paging}\n`}Results offloaded to JSONL (${count} memories, ~${storedArtifact.tokens} tokens saved).
File: ${path}
Detail level: ${storedArtifact.detail}

Use the jq recipes above to extract specific data. Common patterns:
- Browse: recipe #1 (titles with scores)
- Filter: recipe #2 (by namespace) or #3 (by keyword)
- Analyze: recipe #8 (count by namespace)

Read the file directly only if you need the complete dataset.
The header line (line 1) contains metadata; memory objects start at line 2.`;
  const text = (maxFields: number): string =>
    safeJson({
      offloaded: true,
      summary: {
        ...memorySummary(storedArtifact, count, profile, scoreRange, content),
        ...nextPage.summary(CURSOR_CHARACTERS),
      },
      file_path: path,
      line_schema: lineSchema(profile, { maxFields }),
      jq_recipes: commandsOf(input, path),
      guidance,
    });
  function* texts(): Generator<string> {
    for (const maxFields of [40, 20, 10, 5, 0]) yield text(maxFields);
  }
  const { descriptor, fits } = await firstWithin(input, "full", {
    maxTokens: MAX_TOKENS,
    texts: texts(),
  });
  if (fits) return descriptor;
  return await describeArtifact(input, { form: "generic" });
};
