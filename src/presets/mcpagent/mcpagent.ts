import * as z from "zod";

import { toolsAfterOffload } from "./tools-after-offload.js";
import { describeAsMessage } from "./message.js";
import { largeOutputTools } from "../tool-shape-sets.js";
import { checkedOptions, count, optionsOf } from "../../util/option-rules.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { fileStore } from "../../core/store/file/index.js";
import { datedToolName } from "../../core/store/naming.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";

/** The three options of mcpagent, and one for agents whose tools never change. */
export interface McpagentOptions {
  /** `WithLargeOutputVirtualTools`: with `false` every output stays inline. @defaultValue `true` */
  readonly enabled?: boolean;
  /** `WithLargeOutputThreshold`: an output of so many tokens or more is large. @defaultValue `10_000` */
  readonly thresholdTokens?: number;
  /** `WithToolOutputFolder`: where each session has a folder of its own. @defaultValue `"tool_output_folder"` */
  readonly folder?: string;
  /** When the model is shown its three tools. @defaultValue `"after-first-offload"` */
  readonly showTools?: "always" | "after-first-offload";
}

const schema = optionsOf({
  enabled: z.boolean().optional(),
  thresholdTokens: count.optional(),
  folder: z.string().min(1).optional(),
  showTools: z.enum(["always", "after-first-offload"]).optional(),
});

/** Longest life of a file whose session nobody ends: 30 days. The seed states none. */
const LONGEST_SESSION_MS = 30 * 24 * 3_600_000;

/**
 * mcpagent's context offloading: outputs of 10,000 tokens or more go to a folder of their session as they came; the model gets a
 * message with the path, a preview of half the threshold in characters, and from then on three virtual tools. A range
 * of 10,000 characters comes in one answer.
 *
 * @source mcpagent, Context Offloading. Its text says "exceeds 10,000", its diagram ">= 10k": the diagram holds here.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function mcpagent(options: McpagentOptions = {}): OffloadOptions {
  const checked = checkedOptions<McpagentOptions>("mcpagent", schema, options);
  const { enabled = true, thresholdTokens = 10_000, folder, showTools } = checked;
  return asPreset({
    enabled,
    tokenizer: "o200k_base",
    // A threshold stays inline at its own size, and this design offloads there.
    threshold: { tokens: thresholdTokens - 1 },
    store: storeIn(folder ?? "tool_output_folder"),
    fileFormat: "original",
    fileName: datedToolName,
    describe: {
      describer: describeAsMessage({ previewCharacters: Math.floor(thresholdTokens / 2) }),
    },
    drillIn: {
      sql: false,
      tools: largeOutputTools(),
    },
    // Its diagram adds the tools when an output was replaced.
    plugins: showTools === "always" ? [] : [toolsAfterOffload()],
    retention: { ttlMs: LONGEST_SESSION_MS },
  });
}

function storeIn(directory: string): ArtifactStore {
  return fileStore({ directory, folders: "session" });
}
