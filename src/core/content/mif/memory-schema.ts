import { jsonOf } from "../value/any-json.js";
import { isString, listOf } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

const TEXTS = ["title", "namespace", "status", "created", "modified", "content"];
const TYPES: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  "semantic",
  "episodic",
  "procedural",
]);

/** Whether a value is a memory in the LRO specification's snake_case shape. All but `id` may be absent or `null`. */
export function isMemory(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, memory_type: type, namespace, title, content, tags = null } = value;
  const areTexts = TEXTS.every(
    (field) => (value[field] ?? null) === null || isString(value[field]),
  );
  const areTags = tags === null || (Array.isArray(tags) && tags.every(isString));
  const isNamed = isString(title) || isString(content);
  const isSorted = isString(type) || isString(namespace);
  return isString(id) && id !== "" && TYPES.has(type) && areTexts && areTags && isNamed && isSorted;
}

const MAX_LOOKED_AT = 16;

/**
 * JSON of the result set behind an output that shows only what fits a budget: memories or hits in LangChain's
 * `ToolMessage.artifact`. They are measured and stored instead of the text. Never throws.
 *
 * @source LRO specification, Integration with inject_context.
 */
export function preBudgetSet(artifact: unknown): string | undefined {
  return isPreBudgetSet(artifact) ? jsonOf(artifact) : undefined;
}

export function isPreBudgetSet(artifact: unknown): boolean {
  try {
    const set = fieldOf(artifact, "memories") ?? artifact;
    const some = listOf(set).slice(0, MAX_LOOKED_AT);
    return some.length > 0 && some.every((item) => isMemory(fieldOf(item, "memory") ?? item));
  } catch {
    return false;
  }
}
