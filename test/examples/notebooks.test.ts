import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { differences } from "../../scripts/notebooks/compare.js";
import {
  answersIn,
  codeOf,
  drawnIn,
  faultOf,
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

    it("is committed with an answer that was checked and a chart, as SVG and as PNG", () => {
      const charts = drawn.filter((one) => "image/svg+xml" in one);
      expect(charts).not.toEqual([]);
      for (const { "image/png": png = "" } of charts)
        expect(Buffer.from(png, "base64").subarray(1, 4).toString()).toBe("PNG");
      expect(answersIn(drawn)).toHaveLength(1);
    });

    it("does not differ from itself", () => {
      expect(differences(drawn, drawn, false)).toEqual([]);
    });

    it("shows what each of its cells has to show", () => {
      expect(isWhole(notebook)).toBe(true);
      const lost = notebook.cells.map((cell) => ({ ...cell, outputs: [] }));
      expect(isWhole({ cells: lost })).toBe(false);
    });

    it("says in its first cell who answers", () => {
      expect(drawn[0]?.["text/plain"]).toContain("a script plays the model's part");
    });

    it("states the version and the licence of its data", () => {
      const text = notebook.cells[0]?.source.join("") ?? "";
      expect(text).toMatch(/Data: .*\d+\.\d+\.\d+.*(?:CC0|BSD|Apache|MIT)/);
      for (const [, name = "", version] of text.matchAll(/`(@?[\w/-]+)` (\d+\.\d+\.\d+)/g)) {
        const installed = readFileSync(`node_modules/${name}/package.json`, "utf8");
        expect(JSON.parse(installed).version).toBe(version);
      }
    });

    it("shows no error, no path of a person's machine and nothing on standard output", () => {
      const outputs = notebook.cells.flatMap((cell) => cell.outputs ?? []);
      expect(outputs.map((output) => output.output_type)).not.toContain("error");
      expect(outputs.map((output) => output.output_type)).not.toContain("stream");
      expect(JSON.stringify(outputs)).not.toMatch(/\/(?:home|root|Users)\/|file:\/\//);
    });

    it("is code that a module can hold", () => {
      expect(codeOf(notebook)).toContain("checkAnswer(");
    });
  });
});

describe("an execution", () => {
  it("is at fault when any answer differs from the committed one", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (committed, executed) => {
        const same = JSON.stringify(committed) === JSON.stringify(executed);
        fc.pre(same || committed !== executed);
        const lines = [committed, executed].map((answer) =>
          answersIn([
            { "text/plain": `before\nEqual to the data: ${JSON.stringify(answer)}\nafter` },
          ]),
        );
        const fault = faultOf(lines[0] ?? [], lines[1] ?? [], false);
        expect(fault === undefined).toBe(same);
      }),
    );
  });

  it("is not at fault for another order of keys", () => {
    expect(faultOf([{ one: 1, two: 2 }], [{ two: 2, one: 1 }], false)).toBeUndefined();
  });

  it("is at fault without an answer, over fewer data too", () => {
    expect(faultOf([1], [], true)).toBe("It shows no answer that was checked.");
    expect(faultOf([], [1], true)).toContain("committed without an answer");
  });

  it("may answer otherwise over fewer data, where the cells check the answer", () => {
    expect(faultOf([{ flights: 3 }], [{ flights: 1 }], true)).toBeUndefined();
  });
});

describe("the comparison of what a notebook shows", () => {
  const plain = (text: string): { "text/plain": string }[] => [{ "text/plain": text }];

  it("passes over ids, temporary folders, times and memory, and over nothing else", () => {
    const before = `{"count":5,"file":"/tmp/films-TxZLCa/tool_20261122_195843_x_01M8255WET63E5Z3R9BF479QT3.json"}
memory of this process while the tool ran, MB | 837
Saved "x" as tmp (2,357 records). 2.4 s.`;
    const now = before
      .replace("TxZLCa", "a9KKzz")
      .replace("20261122_195843", "20270101_000000")
      .replace("01M8255WET63E5Z3R9BF479QT3", "01M81FHBD48SRBBVG67TDTK30M")
      .replace("837", "1,012")
      .replace("2.4 s", "13 s");
    expect(now).not.toBe(before);
    expect(differences(plain(before), plain(now), false)).toEqual([]);
    const other = differences(plain(before), plain(now.replace("5", "6")), false);
    expect(other).toHaveLength(1);
    expect(other[0]).toMatch(/^Output 1, text\/plain, line 1 \(of 1 that differ\):/);
    expect(other[0]).toContain('committed: {"count":5');
    expect(other[0]).toContain('now:       {"count":6');
  });

  it("tells of any character that differs in a descriptor of letters", () => {
    const letters = fc.stringMatching(/^[a-z {}":]{1,60}$/);
    fc.assert(
      fc.property(letters, letters, (before, now) => {
        const found = differences(plain(before), plain(now), false);
        expect(found.length > 0).toBe(before.trimEnd() !== now.trimEnd());
      }),
    );
  });

  it("tells of a picture that is gone, of one that is another, and of an output more", () => {
    const chart = {
      "text/plain": "A chart.",
      "image/svg+xml": "<svg>1</svg>",
      "image/png": "AAAA",
    };
    const { "image/png": _, ...withoutPng } = chart;
    expect(differences([chart], [withoutPng], false)).toEqual(["Output 1, image/png: it is gone."]);
    expect(differences([withoutPng], [chart], false)).toEqual(["Output 1, image/png: it is new."]);
    expect(
      differences([chart], [{ ...chart, "image/svg+xml": "<svg>2</svg>" }], false),
    ).toHaveLength(1);
    expect(differences([chart], [chart, chart], false)).toHaveLength(1);
  });

  it("leaves figures and examples out over fewer data, and no field", () => {
    const before = String.raw`{"count":"300","code":"text \"ORD\"","delay":"integer 1..9"}`;
    const now = before.replace("300", "7").replace("ORD", "DFW").replace("1..9", "2..3,000");
    expect(differences(plain(before), plain(now), true)).toEqual([]);
    expect(differences(plain(before), plain(now.replace("delay", "late")), true)).toHaveLength(1);
  });
});
