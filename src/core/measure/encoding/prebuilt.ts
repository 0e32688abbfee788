import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";

import { pieceSplitter } from "./piece-pattern.js";
import { type Encoding, openRankIndex } from "./rank-index.js";

/** Five times as fast as importing the table. `undefined` if a file is missing or differs, as in a bundle. */
export function readPrebuilt(): Encoding | undefined {
  try {
    const index = readFileSync(new URL("o200k_base.index", import.meta.url));
    const require = nodeModule.createRequire(import.meta.url);
    const module = readFileSync(require.resolve("js-tiktoken/ranks/o200k_base"));
    const start = module.indexOf(BEFORE_RANKS) + BEFORE_RANKS.length;
    const head = module.toString("latin1", module.indexOf("{"), start);
    const { pat_str: pattern }: { pat_str: string } = JSON.parse(`${head}"}`);
    const text = module.subarray(start, module.indexOf('"', start));
    return { splitPieces: pieceSplitter(pattern), ranks: openRankIndex(text, index) };
  } catch {
    return undefined;
  }
}

const BEFORE_RANKS = '"bpe_ranks":"';
