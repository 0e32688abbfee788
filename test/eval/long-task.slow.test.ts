import { expect, it } from "vitest";

import { longTable, runLongTask } from "../../eval/long/long-task.js";

it("is answered after sixty calls where results age, and not where they are cleared", async () => {
  const runs = await runLongTask();
  expect(runs.map(({ name, isRight }) => [name, isRight])).toEqual([
    ["nothing leaves", true],
    ["clearing", false],
    ["aging, mark", true],
    ["aging, replace", true],
  ]);
  const [never, , mark] = runs.map(({ peakCharacters }) => peakCharacters);
  expect(mark).toBeLessThan((never ?? 0) * 0.75);
  expect(longTable(runs)).toContain("| aging, mark ");
});
