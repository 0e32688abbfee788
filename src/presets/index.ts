export { atlatl } from "./atlatl/atlatl.js";
export { forTool } from "./for-tool.js";
export { lro } from "./lro.js";
export { mcpagent, type McpagentOptions } from "./mcpagent/mcpagent.js";
export { metaCc, type MetaCcOptions } from "./meta-cc/meta-cc.js";
export { vectara, type VectaraOptions } from "./vectara/vectara.js";
