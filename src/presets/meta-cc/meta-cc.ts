import * as z from "zod";

import { argumentLimit, wholeNumber } from "../../core/decide/gates/argument-limit.js";
import { threshold } from "../../core/decide/gates/threshold.js";
import { callArgument } from "./call-argument.js";
import { describeAsFileReference, wrapInline } from "./file-reference.js";
import { cleanupTool } from "../tool-shape-sets.js";
import { temporaryFileName } from "../../core/store/naming.js";
import { checkedOptions, optionsOf, size } from "../../util/option-rules.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";

/** What can be set on meta-cc's hybrid output mode. */
export interface MetaCcOptions {
  /**
   * Largest output that stays inline, in UTF-8 bytes; exactly this size stays.
   *
   * @defaultValue `META_CC_INLINE_THRESHOLD` of the environment, otherwise `8192`
   * @source meta-cc ADR-004, Mode Selection Logic.
   */
  readonly inlineThresholdBytes?: number;
  /** @defaultValue `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const schema = optionsOf({
  inlineThresholdBytes: size.optional(),
  environment: z.unknown().optional(),
});

const THRESHOLD_ARGUMENT = "inline_threshold_bytes";
/** @source meta-cc ADR-004, Mode Selection Logic. */
const DEFAULT_THRESHOLD_BYTES = 8192;
/** @source meta-cc ADR-004, Temporary File Management: 7 days. */
const RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * meta-cc's hybrid output mode: up to 8,192 bytes `{mode: "inline", data}`, above them JSON lines in a file for 7
 * days and `{mode: "file_ref", file_ref}`. A call's argument `inline_threshold_bytes`, which the model is shown, sets its own limit; a
 * number that no output reaches forces it inline. What cannot be stored stays inline, cut only where it would not fit into the context window.
 *
 * @source meta-cc ADR-004, Hybrid Output Mode Design.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function metaCc(options: MetaCcOptions = {}): OffloadOptions {
  const checked = checkedOptions<MetaCcOptions>("metaCc", schema, options);
  const { environment = process.env } = checked;
  const fromEnvironment = wholeNumber(environment["META_CC_INLINE_THRESHOLD"]);
  const bytes = checked.inlineThresholdBytes ?? fromEnvironment ?? DEFAULT_THRESHOLD_BYTES;
  return asPreset({
    gates: [argumentLimit(THRESHOLD_ARGUMENT, threshold({ bytes }))],
    onStoreFailure: "inline",
    plugins: [
      callArgument({
        name: THRESHOLD_ARGUMENT,
        description: "Largest result to return inline, in bytes; a larger one goes to a file",
      }),
    ],
    fileFormat: "json-lines",
    fileName: temporaryFileName,
    describe: { describer: describeAsFileReference(), wrapInline },
    drillIn: { tools: [cleanupTool()] },
    retention: { ttlMs: RETENTION_MS },
  });
}
