/** Node keeps delays in 32 bits, in milliseconds: a longer timer would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
