export type { AgentHooks, AgentHost } from "./adapters/langchain/agent-hooks.js";
export { createDrillInTools } from "./adapters/langchain/drill-in-tools.js";
export type { GivenOffloader } from "./adapters/langchain/given-offloader.js";
export {
  type ObservedOutput,
  offloadCallbackHandler,
  type OffloadCallbackHandlerOptions,
} from "./adapters/langchain/offload-callback-handler.js";
export { offloadFrom, type OffloadValue } from "./adapters/langchain/offload-from.js";
export {
  offloadMiddleware,
  type OffloadMiddlewareOptions,
} from "./adapters/langchain/offload-middleware.js";
export { type OffloadedNode, offloadNode } from "./adapters/langchain/offload-node.js";
export { type OffloadToolNode, offloadToolNode } from "./adapters/langchain/offload-tool-node.js";
export type { OffloadedTool } from "./adapters/langchain/with-offload.js";
export type { RunSite, SessionRule, SessionStart } from "./adapters/langchain/run/session.js";
export { withOffload, type WithOffloadOptions } from "./adapters/langchain/with-offload.js";
export type * from "./public-types.js";
export { createOffloader } from "./core/pipeline/create-offloader.js";
export { resultText } from "./core/pipeline/inline.js";
export { OffloadError } from "./core/types/errors.js";
export { fileStore } from "./core/store/file/index.js";
export { memoryStore } from "./core/store/memory.js";
export { sessionKeyOf } from "./core/store/naming.js";
