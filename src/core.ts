/** The library without LangChain: the walk, the stores, the stages' options and the nouns. */
export { fromJsonLd, toJsonLd } from "./mif/index.js";
export type { MifConcept } from "./mif/shapes.js";
export { type DecideOptions } from "./decide/decide.js";
export { type ScopeOptions, type ToolSelector } from "./decide/scope.js";
export { type TurnBudget } from "./decide/turn/turn-budget.js";
export { type DescribeOptions } from "./describe/describe.js";
export { type DrillIn, type DrillInAnswer, type DrillInAnswerInfo } from "./drill-in/drill-in.js";
export {
  type ReferenceUse,
  type ResolvedReference,
  type ResolveReference,
} from "./references/resolve.js";
export { combineListeners } from "./observe/combine-listeners.js";
export { type RetentionOptions, type StorageCap } from "./lifecycle/retention-options.js";
export { type StreamOptions } from "./content/stream/output-stream.js";
export { type Stats } from "./observe/stats.js";
export { type ConfigOptions, readSettings } from "./options/read-settings.js";
export { type EffectiveSettings, toOptions } from "./options/apply-settings.js";
export { type WhenNoDrillIn } from "./decide/no-drill-in.js";
export { modelTools, type ModelTool } from "./drill-in/model-tools.js";
export { type ReferenceOptions, type ReferenceParameters } from "./describe/references.js";
export { type DrillInLimits } from "./drill-in/shared/limits.js";
export {
  type SqlEngine,
  type SqlEngineStarter,
  type SqlRequest,
  type SqlResult,
  type SqlTable,
} from "./drill-in/sql/request.js";
export { OffloadError, type OffloadErrorCode } from "./errors.js";
export { type OffloadEvent, type OffloadListener } from "./events.js";
export { type MeasureOptions, type TokenizerName } from "./measure/measure.js";
export { createOffloader, type Offloader } from "./offload/create-offloader.js";
export { type Put, type PutOptions } from "./offload/enter/put.js";
export type {
  DescribeStageOptions,
  DrillInOptions,
  OffloadOptions,
  ResolvedOffloadOptions,
  RecipeMaker,
  ToolOptions,
} from "./options/options.js";
export { resolveOptions } from "./options/resolve-options.js";
export {
  type ArtifactPage,
  type ArtifactStore,
  type ByteRange,
  type NewArtifact,
} from "./store/artifact-store.js";
export { fileStore, type FileStoreOptions } from "./store/file/index.js";
export { memoryStore, type MemoryStoreOptions } from "./store/memory.js";
export { scopeOf } from "./store/naming.js";
export type {
  ContentKind,
  ConversationSize,
  Descriptor,
  DescriptorForm,
  DetailLevel,
  DrillInToolNames,
  FailedOutput,
  Layout,
  LiveCursor,
  OffloadedOutput,
  OffloadResult,
  Recipe,
  StoredArtifact,
  TextEncodingName,
  ToolOutput,
  TurnOutput,
  TurnSeat,
} from "./types.js";
