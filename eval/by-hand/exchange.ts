import type { Action, Ask, Turn } from "./seat-model.js";

/** What a player is told next: a turn, or that all is over. */
export type PlayerEvent = Turn | "over";

/** Hands turns to a player who asks for them from outside, and actions back. */
export interface Exchange {
  /** The model's side. */
  readonly ask: Ask;
  /** The turn that waits for an action, or the next one. */
  readonly next: () => Promise<PlayerEvent>;
  /** Acts in the turn that waits; `undefined` when none does. */
  readonly act: (action: Action) => Promise<PlayerEvent> | undefined;
  /** There are no more turns. */
  readonly end: () => void;
}

/** Makes an exchange for one player, who does one thing after the other. */
export function createExchange(): Exchange {
  let coming = deferred();
  let waiting: ((action: Action) => void) | undefined;
  return {
    ask: (turn) =>
      new Promise((resolve) => {
        waiting = resolve;
        coming.resolve(turn);
      }),
    next: () => coming.promise,
    act(action) {
      const answer = waiting;
      if (answer === undefined) return undefined;
      waiting = undefined;
      coming = deferred();
      answer(action);
      return coming.promise;
    },
    end: () => coming.resolve("over"),
  };
}

interface Deferred {
  readonly promise: Promise<PlayerEvent>;
  readonly resolve: (event: PlayerEvent) => void;
}

function deferred(): Deferred {
  let resolve: Deferred["resolve"] = () => undefined;
  const promise = new Promise<PlayerEvent>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (event) => resolve(event) };
}
