/** How strongly the LRO specification says it; `states` is text without a keyword that fixes behaviour. */
type Strength = "MUST" | "MUST NOT" | "SHOULD" | "RECOMMENDED" | "MAY" | "states";

/** One rule of the LRO specification, in our words. */
export interface Rule {
  readonly number: number;
  readonly strength: Strength;
  /** The conformance level that first needs it; 0 for what is optional at every level. */
  readonly level: 0 | 1 | 2 | 3;
  readonly text: string;
}

type Row = readonly [Strength, Rule["level"], string];

/** In the order of the specification; a rule's number is its place, counted from 1. */
const ROWS: readonly Row[] = [
  ["states", 1, "The memory tools recall, inject, list and search take part."],
  ["SHOULD", 0, "Plain HTTP clients use pages instead."],
  ["MUST NOT", 1, "The interceptor changes no return type or interface of the tool."],
  ["states", 1, "It runs after the tool has answered and before the answer is handed on."],
  ["states", 0, "The result of a finished MCP task carries the descriptor."],
  ["states", 1, "Offloading comes before pagination: the complete set is offloaded."],
  ["MUST NOT", 1, "No page passes for the set: its descriptor says that there is more."],
  ["states", 1, "Pages remain when the set is small or offloading is off."],
  ["states", 1, "One global threshold, 1,600 tokens unless configured."],
  ["MUST", 1, "Tokens of Latin text are estimated as characters / 4."],
  ["RECOMMENDED", 1, "A model's tokenizer counts other scripts."],
  ["states", 1, "The check comes after the operation and before formatting."],
  ["MUST", 1, "The operation runs normally."],
  ["MUST", 1, "The whole result set is estimated, at the requested detail level."],
  ["MUST", 1, "Over the threshold: JSON lines and an OffloadResponse."],
  ["MUST", 1, "At or under the threshold: inline as usual."],
  ["MUST", 1, "The total set is judged, never a single record."],
  ["MUST", 1, "The file has the detail level of the call."],
  ["states", 1, "Without one: light for recall, medium for inject."],
  ["SHOULD", 1, "The guidance names the level."],
  ["states", 1, "Line-delimited JSON: a header line, then one object a line."],
  ["states", 1, "The header has the eight fields of OffloadHeader."],
  ["states", 1, "Its operation is recall, search, inject or list."],
  ["states", 1, "Each further line is the complete memory."],
  ["MUST", 1, "The file is {output_dir}/atlatl-{operation}-{ulid}.jsonl."],
  ["states", 1, "The directory defaults to the system's temporary one."],
  ["states", 1, "Path, header, TTL and time of creation are kept."],
  ["states", 1, "The descriptor replaces the result set."],
  ["MUST", 2, "The descriptor has every field of OffloadResponse."],
  ["states", 2, "The fields mean what the structs say."],
  ["MUST", 2, "Exactly ten recipes."],
  ["MUST", 2, "The file's path stands in each command."],
  ["states", 2, "Every command skips the header with tail -n +2."],
  ["MUST", 2, "Recipes use only fields of the detail level."],
  ["MUST NOT", 2, "No recipe uses a score."],
  ["MUST", 2, "Confidence is nested at full and flat at medium."],
  ["states", 2, "Recipes 9 and 10 follow the detail level."],
  ["MAY", 0, "Recipes may be left out for capable models."],
  ["SHOULD", 2, "The full library for a mix of models."],
  ["MUST", 2, "The descriptor has guidance."],
  ["SHOULD", 2, "The guidance is the template's."],
  ["states", 2, "The guidance is advice, not an order."],
  ["states", 1, "inject_context runs normally."],
  ["states", 1, "For inject_context the set before the budget is judged."],
  ["states", 1, "Over the threshold that set is offloaded and the formatted text dropped."],
  ["states", 1, "Under it the formatted text is returned."],
  ["MUST", 2, "Files are removed after their TTL."],
  ["states", 2, "The TTL is 3,600 s unless configured."],
  ["MUST", 2, "The time of creation is recorded for each file."],
  ["SHOULD", 2, "An hourly cleanup removes what has expired and reports it."],
  ["MAY", 2, "Nothing is removed before its expiry."],
  ["MUST", 3, "A failed write gives an inline truncated result."],
  ["MUST", 3, "It fits the threshold."],
  ["MUST", 3, "It carries a warning."],
  ["MUST", 3, "OffloadWriteFailed is emitted with details."],
  ["MUST NOT", 3, "The operation never fails because of offloading."],
  ["states", 1, "Settings: enabled, threshold_tokens, ttl_seconds, output_dir."],
  ["states", 1, "Each setting has an environment variable."],
  ["states", 1, "Disabled means inline."],
  ["SHOULD", 0, "Remote servers without a proxy turn offloading off."],
  ["MAY", 0, "A later revision may add a server-side mechanism."],
  ["states", 0, "A remote server that sees clientInfo.proxy answers inline."],
  ["MAY", 0, "A local server may write the files of a remote one."],
  ["states", 0, "The flow of a proxy: connect, full results, write, local path."],
  ["MUST", 0, "A proxy detects the threshold and writes JSON lines as specified."],
  ["MUST NOT", 0, "A proxy does not alter the data."],
  ["states", 0, "A proxy follows the same TTL and cleanup."],
  ["MAY", 0, "A proxy keeps no state."],
  ["MAY", 0, "A proxy may be a binary, a plugin or a sidecar."],
  ["MAY", 0, "Extraction may be a native tool."],
  ["MAY", 0, "lro_extract takes file_path, recipe or query, and params."],
  ["states", 0, "It skips the header, applies the filter and returns the subset."],
  ["MUST", 0, "jq_recipes stay in the descriptor."],
  ["MUST", 0, "The tool's guidance points at the tool."],
  ["SHOULD", 0, "That guidance is the native template."],
  ["MUST", 0, "Who provides the tool owns the guidance."],
  ["states", 0, "Being listed as a tool is enough."],
  ["MAY", 0, "Tools of the client may be detected."],
  ["MAY", 0, "Without any, offloading may be raised or turned off."],
  ["MUST NOT", 1, "Shell access is never assumed."],
  ["MUST", 1, "Level 1: threshold and JSON lines; file reference and summary."],
  ["MUST", 2, "Level 2: recipe library, cleanup and schema."],
  ["MUST", 3, "Level 3: error fallback and events as well."],
];

/** Every rule of the LRO specification that fixes behaviour. */
export const RULES: readonly Rule[] = ROWS.map(([strength, level, text], index) => ({
  number: index + 1,
  strength,
  level,
  text,
}));
