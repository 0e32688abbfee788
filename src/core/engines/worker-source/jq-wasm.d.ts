/** WebAssembly of jq: in Brotli, in base64; `scripts/worker-sources.ts` makes it. */
export declare const packed: string;
