export {
  DEEP_AGENT_FILE_TOOLS,
  type OffloadBackend,
  offloadBackend,
  type StoredFileInfo,
} from "./deep-agents.js";
