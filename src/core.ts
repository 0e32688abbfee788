export { OffloadError } from "./core/types/errors.js";
export { createOffloader } from "./core/pipeline/create-offloader.js";
export { resultText } from "./core/pipeline/inline.js";
export { fileStore } from "./core/store/file/index.js";
export { memoryStore } from "./core/store/memory.js";
export { sessionKeyOf } from "./core/store/naming.js";
export type * from "./public-types.js";
