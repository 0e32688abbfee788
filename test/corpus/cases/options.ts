import { words } from "../data.js";
import { createOffloader, lro, memoryStore, offloadMiddleware } from "../entries.js";
import { outputOf, tellOf } from "../offload-case.js";
import type { Case } from "../pins.js";

const env = {
  ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "50",
  ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "5",
  ATLATL_PROMPT__OFFLOAD__ENABLED: "perhaps",
};

export const options: readonly Case[] = [
  {
    name: "refused: a middleware with an offloader and its options",
    run: async (rig) => {
      const store = memoryStore();
      const both = { offloader: createOffloader({ store }), store };
      const make = async () => await Promise.resolve(offloadMiddleware(both as never));
      return await rig.pinned(await tellOf(make()));
    },
  },
  {
    name: "settings: of the environment for one tool",
    run: async (rig) => {
      const offloader = rig.offloader({
        preset: lro({ env }),
        perTool: { search: {}, other: { threshold: { tokens: 70 } } },
        tokenizer: "characters",
      });
      const value = words(60);
      const told = await tellOf(offloader.offload(outputOf({ value })), value);
      const { enabled, thresholdTokens, ttlMs, perTool, toolNames } = offloader.options;
      const limits = [...perTool].map(([tool, own]) => [tool, own.thresholdTokens]);
      await offloader.close();
      return await rig.pinned({ told, enabled, thresholdTokens, ttlMs, limits, toolNames });
    },
  },
];
