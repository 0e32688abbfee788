const BYTES_PER_TOKEN = 4;

/** Tokens of so many bytes, estimated. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
