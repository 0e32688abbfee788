/** All that the corpus takes of the library, by its public names: what is moved or renamed is changed here alone. */
export { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
export {
  type ArtifactStore,
  createDrillInTools,
  createOffloader,
  fileStore,
  memoryStore,
  offloadNode,
  offloadCallbackHandler,
  offloadFrom,
  offloadMiddleware,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
  offloadToolNode,
  sessionKeyOf,
  type StoredArtifact,
  type ToolOutput,
  withOffload,
} from "../../src/index.js";
export { createOffloadProxy, offloadServer } from "../../src/adapters/mcp/index.js";
export { langgraphStore } from "../../src/stores/langgraph/index.js";
export { postgresStore } from "../../src/stores/postgres/index.js";
export { redisStore } from "../../src/stores/redis/index.js";
export { s3Store } from "../../src/stores/s3/index.js";
export { scriptedModel, type ScriptedTurn } from "../../src/testing/index.js";
