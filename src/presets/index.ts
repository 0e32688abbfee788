export { atlatl } from "./atlatl.js";
export { lro } from "./lro.js";
export { mcpagent, type McpagentOptions } from "./mcpagent.js";
export { metaCc, type MetaCcOptions } from "./meta-cc.js";
export { vectara, type VectaraOptions } from "./vectara.js";
export { argumentLimit } from "../decide/argument-limit.js";
export { contextShare, type ContextShareOptions } from "../decide/context-share.js";
export type { DecideContext, Gate, InlineLimit } from "../decide/gate.js";
export { headroom, type HeadroomOptions } from "../decide/headroom.js";
export type { OffloadMode } from "../decide/mode.js";
export { atLeast, type Size, threshold } from "../decide/threshold.js";
export { describeAsAtlatl } from "../describe/atlatl-response.js";
export type { Describer, DescriberInput } from "../describe/describer.js";
export { describeAsEnvelope, type EnvelopeOptions } from "../describe/envelope.js";
export {
  describeAsFileReference,
  type FileReferenceOptions,
  wrapInline,
} from "../describe/file-reference.js";
export { describeAsMessage, type MessageOptions } from "../describe/message.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "../drill-in/tool-shape.js";
export { artifactTools, cleanupTool, largeOutputTools } from "../drill-in/tool-shape-sets.js";
export type { FileEncoding } from "../store/encode.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "../store/name-rules.js";
