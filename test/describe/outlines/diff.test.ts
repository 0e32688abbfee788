import { describe, expect, it } from "vitest";
import { linesOf } from "./lines-of.js";

describe("the outline of a diff with uncommon names", () => {
  it.each([
    [
      "my file 0.txt",
      "diff --git a/my file 0.txt b/my file 0.txt\n--- a/my file 0.txt\t\n+++ b/my file 0.txt\t",
    ],
    ["my file.bin", "diff --git a/my file.bin b/my file.bin"],
    [
      'täst "q".txt',
      String.raw`diff --git "a/t\303\244st \"q\".txt" "b/t\303\244st \"q\".txt"` +
        "\n" +
        String.raw`--- "a/t\303\244st \"q\".txt"` +
        "\n" +
        String.raw`+++ "b/t\303\244st \"q\".txt"`,
    ],
    [
      "new name.txt",
      "diff --git a/old name.txt b/new name.txt\nsimilarity index 90%\nrename from old name.txt\nrename to new name.txt\n--- a/old name.txt\t\n+++ b/new name.txt\t",
    ],
    [
      "gone.txt",
      "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null",
    ],
    ["b.txt", "--- a.txt\t2026-01-01\n+++ b.txt\t2026-01-02"],
  ])("has %s", async (name, header) => {
    const lines = await linesOf("diff", `${header}\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n`);
    expect(lines.at(-1)).toBe(`1: ${name} (+1 -1)`);
  });

  it("counts the lines of a merge, and the file after it", async () => {
    const text = [
      "diff --cc a/x.txt",
      "index 1,2..3",
      "--- a/a/x.txt",
      "+++ b/a/x.txt",
      "@@@ -1,2 -1,2 +1,3 @@@",
      "  a",
      "- b",
      " -c",
      "++d",
      "++--- e",
      "diff --git a/y b/y",
      "--- a/y",
      "+++ b/y",
      "@@ -1 +1 @@",
      "-a",
      "+b",
      "",
    ].join("\n");
    expect(await linesOf("diff", text)).toEqual([
      "2 files changed, +3 -3",
      "line: file (added, removed lines)",
      "1: a/x.txt (+2 -2)",
      "11: y (+1 -1)",
    ]);
  });
});
