/** All of `code/worker.ts` as one script; `scripts/worker-sources.ts` makes it. */
export declare const source: string;
