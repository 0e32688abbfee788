/** JavaScript over stored outputs. */
export { code, type CodeOptions } from "./code.js";
export type { CodeCallOptions } from "./call-options.js";
