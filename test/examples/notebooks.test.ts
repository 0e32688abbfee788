import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  answersIn,
  codeOf,
  drawnIn,
  isWhole,
  NOTEBOOKS,
  readNotebook,
} from "../../scripts/notebooks/file.js";

const files = readdirSync(NOTEBOOKS).filter((file) => file.endsWith(".ipynb"));

describe("the notebooks", () => {
  it("are the seven of the README", () => {
    const readme = readFileSync(join(NOTEBOOKS, "README.md"), "utf8");
    expect(Array.from(readme.matchAll(/\]\((.*\.ipynb)\)/g), ([, file]) => file)).toEqual(files);
    expect(files).toHaveLength(7);
  });

  describe.each(files)("%s", (file) => {
    const notebook = readNotebook(join(NOTEBOOKS, file));

    const drawn = drawnIn(notebook);

    it("is committed with an answer that was checked, a chart as SVG and as PNG, and code that a module can hold", () => {
      const charts = drawn.filter((one) => "image/svg+xml" in one);
      expect(charts).not.toEqual([]);
      for (const { "image/png": png = "" } of charts)
        expect(Buffer.from(png, "base64").subarray(1, 4).toString()).toBe("PNG");
      expect(answersIn(drawn)).toHaveLength(1);
      expect(drawn[0]?.["text/plain"]).toContain("a script plays the model's part");
      expect(codeOf(notebook)).toContain("checkAnswer(");
    });

    it("shows what each of its cells has to show, and no error, path of a person's machine or standard output", () => {
      expect(isWhole(notebook)).toBe(true);
      const outputs = notebook.cells.flatMap((cell) => cell.outputs ?? []);
      for (const { output_type: type } of outputs) expect(type).not.toMatch(/^(error|stream)$/);
      expect(JSON.stringify(outputs)).not.toMatch(/\/(?:home|root|Users)\/|file:\/\//);
    });

    it("states the version and the licence of its data", () => {
      const text = notebook.cells[0]?.source.join("") ?? "";
      expect(text).toMatch(/Data: .*\d+\.\d+\.\d+.*(?:CC0|BSD|Apache|MIT)/);
      for (const [, name = "", version] of text.matchAll(/`(@?[\w/-]+)` (\d+\.\d+\.\d+)/g)) {
        const installed = readFileSync(`node_modules/${name}/package.json`, "utf8");
        expect(JSON.parse(installed).version).toBe(version);
      }
    });
  });
});
