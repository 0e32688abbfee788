export { code } from "./code.js";
export type { CodeOptions } from "./options.js";
