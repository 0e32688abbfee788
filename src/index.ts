export { approvalDescription } from "./adapters/approval-description.js";
export {
  DEEP_AGENT_FILE_TOOLS,
  offloadBackend,
  type OffloadBackend,
  type StoredFileInfo,
} from "./adapters/deep-agents.js";
export {
  drainPages,
  type DrainedPages,
  type DrainOptions,
  type DrainProgress,
} from "./adapters/drain-pages.js";
export { drained, type DrainedToolOptions } from "./adapters/drained-tool.js";
export { createDrillInTools } from "./adapters/drill-in-tools.js";
export type { GivenOffloader } from "./adapters/given-offloader.js";
export {
  type ObservedOutput,
  offloadCallbackHandler,
  type OffloadCallbackHandlerOptions,
  type RunLookup,
  type TracedRun,
} from "./adapters/offload-callback-handler.js";
export { type HumanMessageOptions, offloadHumanMessages } from "./adapters/human-messages.js";
export { offloadMiddleware, type OffloadMiddlewareOptions } from "./adapters/offload-middleware.js";
export { type NodeFunction, offload, type OffloadedNode } from "./adapters/offload-node.js";
export {
  offloadToolNode,
  type OffloadToolNode,
  type OffloadToolNodeOptions,
} from "./adapters/offload-tool-node.js";
export { offloadFrom, type OffloadValue } from "./adapters/running-call.js";
export { withOffload, type WithOffloadOptions } from "./adapters/with-offload.js";
export * from "./core.js";
export { atlatl } from "./presets/atlatl.js";
export { lro } from "./presets/lro.js";
export { mcpagent, type McpagentOptions } from "./presets/mcpagent.js";
export { metaCc, type MetaCcOptions } from "./presets/meta-cc.js";
export { vectara, type VectaraOptions } from "./presets/vectara.js";
