import * as z from "zod";

import { jsonOf } from "../value/any-json.js";
import { isString, listOf } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";

const text = z.string().nullish();
const memory = z.looseObject({
  id: z.string().min(1),
  memory_type: z.enum(["semantic", "episodic", "procedural"]).nullish(),
  namespace: text,
  title: text,
  content: text,
  status: text,
  created: text,
  modified: text,
  tags: z.array(z.string()).nullish(),
});

/** Whether a value is a memory in the LRO specification's snake_case shape. All but `id` may be absent or `null`. */
export function isMemory(value: unknown): boolean {
  const { data } = memory.safeParse(value);
  return isString(data?.title ?? data?.content) && isString(data?.memory_type ?? data?.namespace);
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
