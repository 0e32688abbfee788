export { atlatl } from "./atlatl/atlatl.js";
export { lro } from "./lro.js";
export { mcpagent, type McpagentOptions } from "./mcpagent/mcpagent.js";
export { metaCc, type MetaCcOptions } from "./meta-cc/meta-cc.js";
export { vectara, type VectaraOptions } from "./vectara/vectara.js";
export { argumentLimit } from "../decide/gates/argument-limit.js";
export { contextShare, type ContextShareOptions } from "../decide/gates/context-share.js";
export type { DecideContext, Gate, InlineLimit } from "../decide/gate.js";
export { headroom, type HeadroomOptions } from "../decide/gates/headroom.js";
export type { OffloadMode } from "../decide/mode.js";
export { atLeast, type Size, threshold } from "../decide/gates/threshold.js";
export { describeAsAtlatl } from "./atlatl/response.js";
export type { Describer, DescriberInput } from "../describe/describer.js";
export { describeAsEnvelope, type EnvelopeOptions } from "./vectara/envelope.js";
export {
  describeAsFileReference,
  type FileReferenceOptions,
  wrapInline,
} from "./meta-cc/file-reference.js";
export { describeAsMessage, type MessageOptions } from "./mcpagent/message.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "../drill-in/tool-shape.js";
export { artifactTools, cleanupTool, largeOutputTools } from "./tool-shape-sets.js";
export type { FileEncoding } from "../store/body/encode.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "../store/name-rules.js";
