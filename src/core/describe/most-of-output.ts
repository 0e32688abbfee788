/** Largest part of an output's own tokens that what stands for it may cost. */
export const MAX_SHARE: number = 0.8;
