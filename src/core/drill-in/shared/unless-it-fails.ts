/**
 * What explains an answer, or `undefined`: the answer stands without it.
 *
 * @throws The signal's reason when it is aborted.
 */
export async function unlessItFails(
  explain: () => Promise<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return await explain();
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
