export { approvalDescription } from "./adapters/langchain/references/approval-description.js";
export {
  DEEP_AGENT_FILE_TOOLS,
  offloadBackend,
  type OffloadBackend,
  type StoredFileInfo,
} from "./adapters/langchain/deep-agents/deep-agents.js";
export {
  drainPages,
  type DrainedPages,
  type DrainOptions,
  type DrainProgress,
} from "./adapters/langchain/paging/drain-pages.js";
export { drained, type DrainedToolOptions } from "./adapters/langchain/paging/drained-tool.js";
export { createDrillInTools } from "./adapters/langchain/drill-in-tools.js";
export type { GivenOffloader } from "./adapters/langchain/given-offloader.js";
export {
  type ObservedOutput,
  offloadCallbackHandler,
  type OffloadCallbackHandlerOptions,
  type RunLookup,
  type TracedRun,
} from "./adapters/langchain/offload-callback-handler.js";
export {
  type HumanMessageOptions,
  offloadHumanMessages,
} from "./adapters/langchain/human-messages.js";
export {
  offloadMiddleware,
  type OffloadMiddlewareOptions,
} from "./adapters/langchain/offload-middleware.js";
export {
  type NodeFunction,
  offload,
  type OffloadedNode,
} from "./adapters/langchain/offload-node.js";
export {
  offloadToolNode,
  type OffloadToolNode,
  type OffloadToolNodeOptions,
} from "./adapters/langchain/offload-tool-node.js";
export { offloadFrom, type OffloadValue } from "./adapters/langchain/offload-from.js";
export { withOffload, type WithOffloadOptions } from "./adapters/langchain/with-offload.js";
export * from "./core.js";
export { atlatl } from "./presets/atlatl/atlatl.js";
export { lro } from "./presets/lro.js";
export { mcpagent, type McpagentOptions } from "./presets/mcpagent/mcpagent.js";
export { metaCc, type MetaCcOptions } from "./presets/meta-cc/meta-cc.js";
export { vectara, type VectaraOptions } from "./presets/vectara/vectara.js";
