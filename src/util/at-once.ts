/**
 * What a function of the caller's answered, which has to be there at once. The rejection of a promise that it
 * gave instead would end the process, so it is heard.
 *
 * @param what - The option that the function is, for the error.
 * @throws TypeError when the answer is a promise; what its `then` throws.
 */
export function atOnce<Answer>(what: string, answer: Answer): Answer {
  if (typeof answer !== "object" || answer === null || !("then" in answer)) return answer;
  void Promise.resolve(answer).catch(() => {});
  throw new TypeError(`${what} must answer at once, and gave a promise.`);
}
