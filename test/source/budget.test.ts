import { describe, expect, it } from "vitest";

import * as budget from "../../scripts/budget.js";

const { commentWordsOf, folderOf, importsOf, leavesOf, linesOf, problemsOf } = budget;

describe("the budget", () => {
  it("counts the same leaves however a text is formatted, and none of imports and comments", () => {
    const leaves = leavesOf("a.ts", `export const sum = (a: number) => a + 1;`);
    expect(leaves).toBeGreaterThan(4);
    const spread = `import { b } from "./b.js";\n/** Adds one. */\nexport const sum =\n  (a: number) =>\n    a + 1;\n`;
    expect(leavesOf("a.ts", spread)).toBe(leaves);
    expect(leavesOf("a.ts", `${spread}sum(2);`)).toBe(leaves + 2);
  });

  it("follows what is loaded at run time, and no types", () => {
    const text = `import type { A } from "./a.js";\nimport { type B, c } from "./c.js";\nexport type { D } from "./d.js";\nexport * from "./e.js";\nvoid import("./f.js");`;
    expect(importsOf("x.ts", text)).toEqual(["./c.js", "./e.js"]);
  });

  it("counts a file for the longest folder that it lies in", () => {
    const folders = ["src", "src/core/store", "src/core/store/file"];
    expect(folderOf("src/core/store/file/index.ts", folders)).toBe("src/core/store/file");
    expect(folderOf("src/stores.ts", folders)).toBe("src");
    expect(folderOf("test/a.test.ts", folders)).toBeUndefined();
  });

  it("names each limit that is passed, and none that is met", () => {
    const figures = { lines: 10, leaves: 20, words: 5, files: 2 };
    expect(problemsOf("src", figures, { lines: 10, leaves: 20, files: 2 })).toEqual([]);
    expect(problemsOf("src", figures, { lines: 9, leaves: 19 })).toHaveLength(2);
  });

  it("counts lines as an editor does, and the words of comments once, none of strings", () => {
    expect(["", "a", "a\n", "a\nb", "a\n\n"].map(linesOf)).toEqual([0, 1, 1, 2, 2]);
    const text = `/** Adds one. */\nexport const a = 1; // not two\nconst b = "// no comment";\n/* the end */`;
    expect(commentWordsOf("a.ts", text)).toBe(6);
  });
});
