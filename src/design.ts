/** What presets are made of, for a design of one's own: gates, describers, tools, names of files. */
export type { DecideContext, Gate, InlineLimit } from "./decide/gate.js";
export { argumentLimit } from "./decide/gates/argument-limit.js";
export { contextShare, type ContextShareOptions } from "./decide/gates/context-share.js";
export { headroom, type HeadroomOptions } from "./decide/gates/headroom.js";
export { atLeast, type Size, threshold } from "./decide/gates/threshold.js";
export type { OffloadMode } from "./decide/mode.js";
export {
  type Describer,
  type DescriberInput,
  firstWithin,
  type FittedDescriptor,
} from "./describe/describer.js";
export type {
  SqlEngine,
  SqlEngineStarter,
  SqlRequest,
  SqlResult,
  SqlTable,
} from "./drill-in/sql/request.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "./drill-in/tool-shape.js";
export { describeAsAtlatl } from "./presets/atlatl/response.js";
export { describeAsMessage, type MessageOptions } from "./presets/mcpagent/message.js";
export {
  describeAsFileReference,
  type FileReferenceOptions,
  wrapInline,
} from "./presets/meta-cc/file-reference.js";
export { artifactTools, cleanupTool, largeOutputTools } from "./presets/tool-shape-sets.js";
export { describeAsEnvelope, type EnvelopeOptions } from "./presets/vectara/envelope.js";
export type { FileEncoding } from "./store/body/encode.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "./store/name-rules.js";
