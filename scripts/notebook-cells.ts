/** Writes the cells of each notebook as a module beside it, for the type checker. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { codeOf, NOTEBOOKS, readNotebook } from "./notebooks/file.js";

for (const file of readdirSync(NOTEBOOKS).filter((name) => name.endsWith(".ipynb"))) {
  const path = join(NOTEBOOKS, file);
  writeFileSync(path.replace(/ipynb$/, "cells.ts"), codeOf(readNotebook(path)));
}
