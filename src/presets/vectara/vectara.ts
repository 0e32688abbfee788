import * as z from "zod";
import { areSeenSingly, markupOf } from "../../core/content/as-value.js";
import { contextShare } from "../../core/decide/gates/context-share.js";
import { headroom } from "../../core/decide/gates/headroom.js";
import { FORM_BUDGET_TOKENS } from "../../core/describe/describe.js";
import { type Describer, firstWithin } from "../../core/describe/describer.js";
import { nextPageOf } from "../../core/describe/next-page.js";
import { type ToolShape, toolShape } from "../../core/drill-in/tools.js";
import type { OffloadMode, OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";
import { artifactName } from "../../core/store/naming.js";
import { callback, checkedOptions, fraction, optionalsOf, size } from "../../util/option-rules.js";
import { safeJson } from "../../util/safe-text.js";
import { lenient } from "../lenient.js";
import { shapeOf, structureOf } from "./shape.js";

const ARTIFACT_TOOLS = ["artifact_read", "artifact_grep", "artifact_jq"] as const;

/**
 * The six fields of `tool_output_offloading`.
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
   * The artifact tools to offer; without any, `mode: "auto"` truncates.
   * @defaultValue all three
   */
  readonly tools?: readonly (typeof ARTIFACT_TOOLS)[number][];
  /**
   * Share of the context window at which conversations are summarized, from 0 to 1. A headroom that
   * is not below it causes a warning. Vectara advises this, but has no field for it.
   */
  readonly summarizationFraction?: number;
  /**
   * Called once when the model's window is unknown, and for a headroom that is not below the summarization.
   * @defaultValue a warning of the process
   */
  readonly onWarning?: (message: string) => void;
}

const schema = optionalsOf({
  enabled: z.boolean(),
  mode: z.enum(["store", "truncate", "auto"]),
  contextFraction: fraction,
  minBytes: size,
  maxBytes: size,
  headroomFraction: fraction,
  tools: z.array(z.enum(ARTIFACT_TOOLS)),
  summarizationFraction: fraction,
  onWarning: callback,
});

/** Longest retention for a session that is never ended. Vectara states none. */
const LONGEST_SESSION_MS = 30 * 24 * 3_600_000;

/**
 * Vectara's tool-output offloading: a share of the model's window for one output, a headroom for the conversation, an
 * envelope with the shape of the data and three artifact tools. Without tools, outputs keep their head and tail.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when a number is out of range.
 */
export function vectara(options: VectaraOptions = {}): OffloadOptions {
  const checked = checkedOptions<VectaraOptions>("vectara", schema, options);
  const { enabled = true, mode = "auto", contextFraction = 0.25, headroomFraction = 0.7 } = checked;
  const { minBytes = 4096, maxBytes = 1_048_576, summarizationFraction, onWarning } = checked;
  const shapes = artifactTools();
  const given: readonly string[] = checked.tools ?? ARTIFACT_TOOLS;
  const leftOut = shapes.filter(({ name }) => !given.includes(name));
  const warning = onWarning && { onWarning };
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
    // The outputs of a turn share one headroom.
    ...(headroomFraction < 1 && { turnBudget: { headroom: headroomFraction, minBytes } }),
    mode: mode === "auto" && given.length === 0 ? "truncate" : mode,
    fileFormat: "original",
    fileName: artifactName,
    describe: { describer: describeAsEnvelope },
    drillIn: {
      names: Object.fromEntries(leftOut.map(({ tool }) => [tool, false])),
      sql: false,
      tools: shapes.filter((shape) => !leftOut.includes(shape)),
    },
    retention: { ttlMs: LONGEST_SESSION_MS },
  });
}

/** @source Vectara, Tool-output offloading, What the agent sees. */
const HOW_TO: readonly (readonly [tool: string, words: string])[] = [
  ["read", "Read full content or a line range (start_line/end_line)"],
  ["grep", "Search for patterns with grep"],
  ["jq", "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'"],
];

const JQ_ON_EACH =
  "Query each record with jq expressions, e.g. 'select(.score > 0.5)', or all, e.g. '[inputs] | length'";

/**
 * Describes by an envelope: `artifact_id`, `size_bytes`, `line_count`, `shape` and `how_to_access` with the
 * tools that this agent has. The shape of text is `text`. Keys of the shape, and finally the shape, are dropped until
 * the envelope is within its budget and 80 % of the output.
 */
export const describeAsEnvelope: Describer = async (input) => {
  const { storedArtifact, content, profile, tools } = input;
  const structure = structureOf(content, profile);
  const sample = structure?.isSample && { shape_is: "of a sample" };
  const plain = content.layout === "text" ? "text" : "JSON";
  const { summary } = nextPageOf(content, storedArtifact.toolName);
  const isProse = content.layout === "text" && markupOf(content) === undefined;
  const howToAccess: Record<string, string> = {};
  for (const [tool, words] of HOW_TO) {
    const name = tools[tool];
    if (name === undefined || (isProse && tool === "jq")) continue;
    howToAccess[name] = tool === "jq" && areSeenSingly(content) ? JQ_ON_EACH : words;
  }
  const text = (shape: unknown) =>
    safeJson({
      artifact_id: storedArtifact.fileName.replace(/\.[A-Za-z0-9]{1,10}$/, ""),
      title: storedArtifact.title,
      size_bytes: storedArtifact.sizeBytes,
      line_count: storedArtifact.lineCount,
      ...summary,
      ...(shape !== undefined && { shape, ...sample }),
      how_to_access: howToAccess,
    });
  function* texts(): Generator<string> {
    for (const maxKeys of [60, 30, 15, 8, 4, 0])
      yield text(structure === undefined ? plain : shapeOf(structure.root, maxKeys));
    yield text(undefined);
  }
  const within = { maxTokens: FORM_BUDGET_TOKENS.envelope, texts: texts() };
  return await firstWithin(input, "envelope", within);
};

/**
 * `artifact_read`, `artifact_grep` and `artifact_jq`.
 * @source Vectara, Tool-output offloading, What the agent sees; it names only the arguments `start_line` and
 * `end_line`, and not how to continue an answer. The other arguments are this library's.
 */
export function artifactTools(): readonly ToolShape[] {
  const names = { id: "artifact_id" };
  const maxTokens = lenient("integer", "Tokens of the answer");
  const artifactId = z.string().describe("artifact_id of the envelope");
  return [
    toolShape({
      tool: "read",
      name: "artifact_read",
      description: "Read an artifact's full content or a line range.",
      names,
      fields: {
        artifact_id: artifactId,
        start_line: lenient("integer", "First line, from 1, inclusive"),
        end_line: lenient("integer", "Last line, inclusive"),
        start_character: lenient("integer", "Characters to skip in the first line"),
        max_tokens: maxTokens,
      },
    }),
    toolShape({
      tool: "grep",
      name: "artifact_grep",
      description: "Search an artifact for a pattern.",
      names,
      fields: {
        artifact_id: artifactId,
        pattern: z.string().describe("Regular expression (RE2)"),
        ignore_case: lenient("boolean", "Default false"),
        max_results: lenient("integer", "Most hits to show"),
        skip: lenient("integer", "Hits to skip"),
        max_tokens: maxTokens,
      },
    }),
    toolShape({
      tool: "jq",
      name: "artifact_jq",
      description: "Query a JSON artifact with a jq expression.",
      names,
      fields: {
        artifact_id: artifactId,
        filter: z.string().describe("jq expression"),
        skip: lenient("integer", "Results to skip"),
        max_tokens: maxTokens,
      },
    }),
  ];
}
