import { coreOf } from "../../core/plugin-host/plugin-host.js";
import type { ResolvedMediaOptions } from "./media-options.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { wrapMedia } from "./wrap-output.js";

export function media({ threshold, views }: ResolvedMediaOptions): OffloadPlugin {
  return {
    name: "media",
    setup: (api) => ({
      wrapOutput: wrapMedia(coreOf(api), { views, thresholdBytes: () => threshold.bytes }),
    }),
  };
}
