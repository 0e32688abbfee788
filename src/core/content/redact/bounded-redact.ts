import { withDeadline } from "../../../util/abort.js";
import type { Redact } from "./redactor.js";

/**
 * The same function, whose promises are waited for a bounded time; a text that it gives at once costs no timer.
 * Nothing of this process can end a function that holds the event loop.
 */
export function boundedRedact(redact: Redact, timeoutMs: number): Redact {
  const late = `\`redact\` gave no text within ${timeoutMs} ms.`;
  return (text, part) => {
    const given = redact(text, part);
    return typeof given === "string" ? given : withDeadline({ timeoutMs, late }, async () => given);
  };
}
