import type { AIMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";

/** What providers call thoughts that vouch for the rest of a message, and what vouches. */
const SIGNED = /signature|thinking|reasoning|thought|encrypted/i;
/** Values of the calls themselves, which are the model's own words, and counts of tokens. */
const PASSED_OVER = new Set(["args", "input", "arguments", "usage", "tokenUsage", "text"]);
/** Fields that are looked at; a message with more counts as signed. */
const MAX_FIELDS = 2_000;

/** Whether a message carries thoughts or signatures, with which a provider compares what comes back. */
export function isSigned({ content, additional_kwargs, response_metadata }: AIMessage): boolean {
  let left = MAX_FIELDS;
  const waiting: unknown[] = [content, additional_kwargs, response_metadata];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_FIELDS)) waiting.push(item);
    }
    if (!isRecord(value)) continue;
    for (const [key, field] of Object.entries(value)) {
      left -= 1;
      if (left < 0) return true;
      if (PASSED_OVER.has(key)) continue;
      if (SIGNED.test(key) && isSomething(field)) return true;
      if (key === "type" && typeof field === "string" && SIGNED.test(field)) return true;
      waiting.push(field);
    }
  }
  return false;
}

function isSomething(field: unknown): boolean {
  return (
    (typeof field === "string" && field !== "") || (typeof field === "object" && field !== null)
  );
}
