/** Longest delay of a timer, in milliseconds: Node keeps delays in 32 bits, and a longer one would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
