/** What presets are made of, for a design of one's own: gates, describers, tools, names of files. */
export type { DecideContext, Gate, InlineLimit } from "./core/decide/gate.js";
export { argumentLimit } from "./core/decide/gates/argument-limit.js";
export { contextShare, type ContextShareOptions } from "./core/decide/gates/context-share.js";
export { headroom, type HeadroomOptions } from "./core/decide/gates/headroom.js";
export { atLeast, type Size, threshold } from "./core/decide/gates/threshold.js";
export type { OffloadMode } from "./core/decide/mode.js";
export {
  type Describer,
  type DescriberInput,
  firstWithin,
  type FittedDescriptor,
} from "./core/describe/describer.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "./core/drill-in/tool-shape.js";
export { describeAsAtlatl } from "./presets/atlatl/response.js";
export { describeAsMessage, type MessageOptions } from "./presets/mcpagent/message.js";
export {
  describeAsFileReference,
  type FileReferenceOptions,
  wrapInline,
} from "./presets/meta-cc/file-reference.js";
export { artifactTools, cleanupTool, largeOutputTools } from "./presets/tool-shape-sets.js";
export { describeAsEnvelope, type EnvelopeOptions } from "./presets/vectara/envelope.js";
export type { FileEncoding } from "./core/store/body/encode.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "./core/store/name-rules.js";
