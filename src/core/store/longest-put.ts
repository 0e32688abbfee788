/** No put takes so long: what is unfinished for longer was left by a process that died. In milliseconds: a day. */
export const LONGEST_PUT_MS: number = 24 * 60 * 60 * 1000;
