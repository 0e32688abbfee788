export type { DecideContext, Gate, InlineLimit } from "../core/decide/gate.js";
export { argumentLimit } from "../core/decide/gates/argument-limit.js";
export { contextShare, type ContextShareOptions } from "../core/decide/gates/context-share.js";
export { headroom, type HeadroomOptions } from "../core/decide/gates/headroom.js";
export { type Size, threshold } from "../core/decide/gates/threshold.js";
export type { OffloadMode } from "../core/options/options.js";
export { type Describer, type DescriberInput, firstWithin } from "../core/describe/describer.js";
export { type ToolShape, toolShape, type ToolShapeOptions } from "../core/drill-in/tools.js";
export type { FileFormat } from "../core/store/lay-out.js";
export {
  artifactName,
  datedToolName,
  type NameParts,
  type NameRule,
  prefixName,
  temporaryFileName,
} from "../core/store/naming.js";
export * from "./atlatl/atlatl.js";
export { extract } from "./lro/extract.js";
export { lro } from "./lro/lro.js";
export type { SettingPlaces } from "./lro/settings.js";
export * from "./mcpagent/mcpagent.js";
export * from "./meta-cc/meta-cc.js";
export * from "./vectara/vectara.js";
