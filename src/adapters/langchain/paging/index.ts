export {
  type DrainedPages,
  type DrainOptions,
  drainPages,
  type DrainProgress,
} from "./drain-pages.js";
export { drained, type DrainedToolOptions } from "./drained-tool.js";
