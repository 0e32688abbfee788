import * as z from "zod";

import { contextShare } from "../../core/decide/gates/context-share.js";
import { headroom } from "../../core/decide/gates/headroom.js";
import type { OffloadMode } from "../../core/decide/mode.js";
import { describeAsEnvelope } from "./envelope.js";
import { artifactTools } from "../tool-shape-sets.js";
import { artifactName } from "../../core/store/naming.js";
import { callback, checkedOptions, fraction, optionsOf, size } from "../../util/option-rules.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";

/** An artifact tool by its name. */
type ArtifactTool = "artifact_read" | "artifact_grep" | "artifact_jq";

/**
 * The six fields of `tool_output_offloading`.
 *
 * @source Vectara, Tool-output offloading, The knobs; every default is from its table.
 */
export interface VectaraOptions {
  /** `enabled`. @defaultValue `true` */
  readonly enabled?: boolean;
  /** `mode`. @defaultValue `"auto"`: `store`, the design's `artifact`, with an artifact tool, otherwise `truncate` */
  readonly mode?: OffloadMode;
  /** `context_percentage`, from 0 to 1. @defaultValue `0.25` */
  readonly contextFraction?: number;
  /** `min_threshold_bytes`: smaller outputs always pass. @defaultValue `4096` */
  readonly minBytes?: number;
  /** `max_threshold_bytes`: larger outputs never pass. @defaultValue `1_048_576` */
  readonly maxBytes?: number;
  /** `headroom_percentage`, from 0 to 1; 1 is no gate. @defaultValue `0.7` */
  readonly headroomFraction?: number;
  /**
   * The artifact tools that are configured; without any, `mode: "auto"` truncates.
   *
   * @defaultValue all three
   */
  readonly tools?: readonly ArtifactTool[];
  /**
   * Part of the window at which conversations are summarized, from 0 to 1, when something summarizes them: a
   * headroom that is not below it is warned of. Not among the seed's fields, but its advice.
   */
  readonly summarizationFraction?: number;
  /**
   * Told once when the model's window is not known, and of a headroom above the summarization.
   *
   * @defaultValue a warning of the process
   */
  readonly onWarning?: (message: string) => void;
}

const schema = optionsOf({
  enabled: z.boolean().optional(),
  mode: z.enum(["store", "truncate", "auto"]).optional(),
  contextFraction: fraction.optional(),
  minBytes: size.optional(),
  maxBytes: size.optional(),
  headroomFraction: fraction.optional(),
  tools: z.array(z.enum(["artifact_read", "artifact_grep", "artifact_jq"])).optional(),
  summarizationFraction: fraction.optional(),
  onWarning: callback.optional(),
});

/** Longest life of an artifact whose session nobody ends: 30 days. The seed states none. */
const LONGEST_SESSION_MS = 30 * 24 * 3_600_000;

/**
 * Vectara's tool-output offloading: a share of the model's window for one output, a headroom for the
 * conversation, an envelope with the shape of the data and three artifact tools; without tools outputs keep
 * their head and tail.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a number is out of range.
 */
export function vectara(options: VectaraOptions = {}): OffloadOptions {
  const checked = checkedOptions<VectaraOptions>("vectara", schema, options);
  const { enabled = true, mode = "auto", contextFraction = 0.25, headroomFraction = 0.7 } = checked;
  const { minBytes = 4096, maxBytes = 1_048_576, summarizationFraction, onWarning } = checked;
  const shapes = artifactTools();
  const isGiven = ({ name }: { readonly name: string }): boolean =>
    checked.tools?.some((tool) => tool === name) ?? true;
  const leftOut = shapes.filter((tool) => !isGiven(tool));
  const warning = onWarning === undefined ? {} : { onWarning };
  return asPreset({
    enabled,
    tokenizer: "o200k_base",
    gates: [
      contextShare({ fraction: contextFraction, minBytes, maxBytes, ...warning }),
      headroom({
        fraction: headroomFraction,
        minBytes,
        ...warning,
        ...(summarizationFraction !== undefined && { summarizationFraction }),
      }),
    ],
    // Each output of a turn finds the same headroom: together they share it.
    ...(headroomFraction < 1 && { turnBudget: { headroom: headroomFraction, minBytes } }),
    mode,
    fileFormat: "original",
    fileName: artifactName,
    describe: { describer: describeAsEnvelope() },
    drillIn: {
      names: Object.fromEntries(leftOut.map(({ tool }) => [tool, false])),
      sql: false,
      tools: shapes.filter(isGiven),
    },
    retention: { ttlMs: LONGEST_SESSION_MS },
  });
}
