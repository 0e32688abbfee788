import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { scannerModule } from "../../../../../scripts/scanner-bytes.js";

it("The scanner's bytes are those of its text", async () => {
  const path = resolve(
    import.meta.dirname,
    "../../../../../src/core/content/json/scanner/scanner-bytes.ts",
  );
  expect(await readFile(path, "utf8")).toBe(await scannerModule());
});
