import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { describeArtifact } from "../../../src/core/describe/describe.js";
import { ALL_TOOLS, countTokens, store, valuesContent } from "./fixture.js";

const PAGE = new URL("../../../docs/what-the-model-sees.md", import.meta.url);
const SERVICES = ["api", "web", "db", "api", "web", "api"];

/** What the page shows the descriptor of. */
const incidents = Array.from({ length: 500 }, (_, index) => ({
  id: index + 1,
  service: SERVICES[index % SERVICES.length],
  opened: new Date(1_767_225_600_000 + index * 25_200_000).toISOString().slice(0, 10),
  minutes: (index * 37) % 240,
  ...(index % 4 > 0 && { resolved: index % 8 !== 1 }),
}));

describe("the descriptor of the page", () => {
  it("is the one that its five hundred incidents give", async () => {
    const stored = await store(valuesContent(incidents), { operation: "list_incidents" });
    const { text } = await describeArtifact({
      ...stored,
      tools: ALL_TOOLS,
      count: countTokens,
    });
    const page = readFileSync(PAGE, "utf8");
    const shown = JSON.parse(/```json\n(\{\n {2}"offloaded"[^]*?)```/.exec(page)?.[1] ?? "{}");
    const made = JSON.parse(text);
    const { jq_recipes: recipes, guidance, ...rest } = shown;
    expect({ ...made, jq_recipes: recipes, guidance }).toEqual({
      ...rest,
      jq_recipes: recipes,
      guidance,
    });
    expect(recipes.length).toBeGreaterThan(0);
    for (const recipe of recipes) expect(made.jq_recipes).toContainEqual(recipe);
    expect(made.guidance.startsWith(guidance.replace(" …", ""))).toBe(true);
  });
});
