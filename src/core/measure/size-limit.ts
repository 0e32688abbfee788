export interface SizeLimit {
  readonly tokens?: number | undefined;
  readonly bytes?: number | undefined;
}

export const MAX_CHARACTERS_PER_TOKEN: number = 16;

/** Longer texts are over the limit. */
export function mostCharacters({ tokens = Infinity, bytes = Infinity }: SizeLimit): number {
  return Math.min(tokens * MAX_CHARACTERS_PER_TOKEN, bytes);
}

/** At most 1 if the text fits. The shares of parts add up to at least that of the whole. */
export function fillOf(
  { tokens, bytes }: SizeLimit,
  count: (text: string) => number | Promise<number>,
): (text: string) => Promise<number> {
  return async (text) =>
    Math.max(
      bytes === undefined ? 0 : share(Buffer.byteLength(text), bytes),
      tokens === undefined ? 0 : share(await count(text), tokens),
    );
}

function share(size: number, limit: number): number {
  return size === 0 ? 0 : size / Math.max(0, limit);
}

/** The last of them if none fits. */
export async function firstThatFits(
  texts: Iterable<string>,
  fill: (text: string) => Promise<number>,
): Promise<string> {
  let text = "";
  for (text of texts) if ((await fill(text)) <= 1) break;
  return text;
}
