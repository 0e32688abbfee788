/** Makes the indexes of rank tables that are read with the package, so that the first count of a process waits for none. */
import type { Rolldown } from "tsdown";

import o200kBase from "js-tiktoken/ranks/o200k_base";

import { buildRankIndex } from "../src/core/measure/encoding/rank-index.ts";

export const rankIndexes: Rolldown.Plugin = {
  name: "rank-indexes",
  generateBundle() {
    const source = buildRankIndex(Buffer.from(o200kBase.bpe_ranks, "latin1"));
    this.emitFile({ type: "asset", fileName: "core/measure/encoding/o200k_base.index", source });
  },
};
