/** The names of the rank tables that can be loaded. */
export type EncodingName = "o200k_base" | "cl100k_base" | "p50k_base" | "r50k_base" | "gpt2";

/** One tokenizer: how it splits text into pieces and which byte sequences are tokens. */
export interface Encoding {
  /** Matches one piece after another and leaves nothing out; has the flags `u` and `g`. */
  readonly piecePattern: RegExp;
  /** Rank of each token, written with one character a byte. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Rank of each token of two bytes at `256 * first + second`, -1 where there is none. */
  readonly pairRanks: Int32Array;
  /** Length of the longest token: a text of more than `n` times this many bytes has over `n` tokens. */
  readonly maxTokenBytes: number;
}

/** What a module of `js-tiktoken/ranks` exports, as far as it is needed here. */
export interface RankTable {
  readonly pat_str: string;
  /** Lines of `! firstRank token token …`, the tokens in base64 and with consecutive ranks. */
  readonly bpe_ranks: string;
}

/**
 * Builds the tokenizer of a rank table. Special tokens such as `<|endoftext|>` are left out: in a
 * tool output they are plain text.
 *
 * @throws Error when the table is not as expected: a byte without a token, or text that is not base64.
 */
export function parseRankTable(table: RankTable): Encoding {
  const ranks = new Map<string, number>();
  const pairRanks = new Int32Array(65_536).fill(-1);
  let maxTokenBytes = 1;
  for (const line of table.bpe_ranks.split("\n")) {
    const [, firstRank, ...tokens] = line.split(" ");
    let rank = Number(firstRank);
    for (const token of tokens) {
      const bytes = atob(token);
      ranks.set(bytes, rank);
      if (bytes.length === 2) pairRanks[bytes.charCodeAt(0) * 256 + bytes.charCodeAt(1)] = rank;
      rank++;
      if (bytes.length > maxTokenBytes) maxTokenBytes = bytes.length;
    }
  }
  for (let byte = 0; byte < 256; byte++) {
    if (!ranks.has(String.fromCharCode(byte))) {
      throw new Error(`The rank table has no token for the byte ${byte}.`);
    }
  }
  return { piecePattern: new RegExp(table.pat_str, "gu"), ranks, pairRanks, maxTokenBytes };
}
