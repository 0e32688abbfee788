import { fieldOf } from "./field-of.js";

/**
 * Refuses a promise from a function that must answer synchronously. Handles its rejection, which would end the process.
 * @param what - Name of the option, for the error.
 * @throws TypeError when the answer is a promise; what its `then` throws.
 */
export function atOnce<Answer>(what: string, answer: Answer): Answer {
  if (fieldOf(answer, "then") === undefined) return answer;
  void Promise.resolve(answer).catch(() => {});
  throw new TypeError(`${what} must return at once, but returned a promise.`);
}
