/** Published designs, and what they are made of, for a design of one's own: gates, describers, tools, names of files. */
export type { DecideContext, Gate, InlineLimit } from "../core/decide/gate.js";
export { argumentLimit } from "../core/decide/gates/argument-limit.js";
export { contextShare, type ContextShareOptions } from "../core/decide/gates/context-share.js";
export { headroom, type HeadroomOptions } from "../core/decide/gates/headroom.js";
export { atLeast, type Size, threshold } from "../core/decide/gates/threshold.js";
export type { OffloadMode } from "../core/decide/mode.js";
export {
  type Describer,
  type DescriberInput,
  firstWithin,
  type FittedDescriptor,
} from "../core/describe/describer.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "../core/drill-in/tool-shape.js";
export type { FileFormat } from "../core/store/body/lay-out.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "../core/store/naming.js";
export { atlatl } from "./atlatl/atlatl.js";
export { describeAsAtlatl } from "./atlatl/response.js";
export { extract } from "./lro/extract.js";
export { lro } from "./lro/lro.js";
export { readSettings, type ReadSettings, type SettingPlaces } from "./lro/read-settings.js";
export type { Settings } from "./lro/setting-rules.js";
export { mcpagent, type McpagentOptions } from "./mcpagent/mcpagent.js";
export { toolsAfterOffload } from "./mcpagent/tools-after-offload.js";
export { describeAsMessage, type MessageOptions } from "./mcpagent/message.js";
export { callArgument, type CallArgument } from "./meta-cc/call-argument.js";
export {
  describeAsFileReference,
  type FileReferenceOptions,
  wrapInline,
} from "./meta-cc/file-reference.js";
export { metaCc, type MetaCcOptions } from "./meta-cc/meta-cc.js";
export { artifactTools, cleanupTool, largeOutputTools } from "./tool-shape-sets.js";
export { describeAsEnvelope, type EnvelopeOptions } from "./vectara/envelope.js";
export { vectara, type VectaraOptions } from "./vectara/vectara.js";
