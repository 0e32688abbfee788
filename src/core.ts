/** The library without LangChain: the walk, the stores that need no server, and the nouns. */
export { OffloadError } from "./errors.js";
export { createOffloader } from "./offload/create-offloader.js";
export { modelTools } from "./offload/loop/session-tools.js";
export { shownText } from "./offload/loop/shown-text.js";
export { fileStore } from "./store/file/index.js";
export { memoryStore } from "./store/memory.js";
export { scopeOf } from "./store/naming.js";
export type * from "./nouns.js";
