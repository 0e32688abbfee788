/** Counts turns of the event loop, until it is stopped. */
export function countTurns(): { turns: () => number; stop: () => void } {
  let turns = 0;
  let timer = setImmediate(function again() {
    turns += 1;
    timer = setImmediate(again);
  });
  return { turns: () => turns, stop: () => clearImmediate(timer) };
}
