/** Pieces that one side hands in and another takes out, in order. */
export interface PieceStream {
  readonly pieces: AsyncIterable<Uint8Array>;
  push(piece: Uint8Array): void;
  /** No more pieces come. */
  end(): void;
  /** The taker gets this error after the pieces before it. */
  fail(error: Error): void;
}

/**
 * Creates a stream that is read once.
 *
 * @param onTaken - Called for each piece that was taken out.
 */
export function createPieceStream(onTaken: () => void): PieceStream {
  const queue: Uint8Array[] = [];
  let ended = false;
  let failed: Error | undefined;
  let wake: (() => void) | undefined;

  async function* take(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const piece = queue.shift();
      if (piece !== undefined) {
        onTaken();
        yield piece;
      } else if (failed !== undefined) throw failed;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    pieces: take(),
    push(piece) {
      queue.push(piece);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    fail(error) {
      failed ??= error;
      wake?.();
    },
  };
}
