/** Makes `src/core/content/json/scanner/scanner-bytes.ts` of `scanner.wat`: `npx tsx scripts/scanner-bytes.ts`. */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import loadWabt from "wabt";

const folder = resolve(import.meta.dirname, "../src/core/content/json/scanner");

/** The module that goes with the scanner's text as it is now. */
export async function scannerModule(): Promise<string> {
  const wabt = await loadWabt();
  const parsed = wabt.parseWat("scanner.wat", await readFile(join(folder, "scanner.wat"), "utf8"));
  parsed.validate();
  const base64 = Buffer.from(parsed.toBinary({}).buffer).toString("base64");
  const doc = "/** What `scripts/scanner-bytes.ts` makes of `scanner.wat`, in base64. */";
  return `${doc}\nexport const SCANNER_BYTES: string =\n  "${base64}";\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(join(folder, "scanner-bytes.ts"), await scannerModule());
}
