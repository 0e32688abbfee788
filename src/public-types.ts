export type { Redact } from "./plugins/redact/redact.js";
export type { TextPart } from "./core/types/plugin.js";
export type { ToolSelector } from "./core/decide/selector.js";
export type { TurnBudget } from "./core/decide/turn/turn-budget.js";
export type { ContentProfile } from "./core/profile/profile-document.js";
export type { RecordProfile } from "./core/profile/profile.js";
export type { Place as FieldProfile } from "./core/profile/place.js";
export type { DrillIn, DrillInAnswer } from "./core/drill-in/drill-in.js";
export type { OffloadErrorCode } from "./core/types/errors.js";
export type { OffloadEvent, OffloadListener } from "./core/types/events.js";
export type { TokenizerName } from "./core/measure/measure.js";
export type { Stats } from "./core/pipeline/observe/stats.js";
export type { Offloader } from "./core/pipeline/create-offloader.js";
export type { PutOptions } from "./core/pipeline/put-options.js";
export type { SessionTool } from "./core/pipeline/session-tools.js";
export type {
  DescribeStageOptions as DescribeOptions,
  DrillInOptions,
  OffloadOptions,
  PerToolOptions,
  ResolvedOffloadOptions,
  ResolvedToolOptions,
  RetentionOptions,
  ToolOptions,
} from "./core/options/options.js";
export type {
  ArtifactPage,
  ArtifactStore,
  ByteRange,
  NewArtifact,
} from "./core/store/artifact-store.js";
export type { FileStoreOptions } from "./core/store/file/index.js";
export type { MemoryStoreOptions } from "./core/store/memory.js";
export type { AccessRule } from "./core/types/access.js";
export type { CarriedArtifact, Recipe, StoredArtifact } from "./core/types/artifact.js";
export type { Content } from "./core/types/content.js";
export type { ShownMedia, StoredMedia } from "./core/types/media.js";
export type { ToolOutput } from "./core/types/output.js";
export type {
  Descriptor,
  DescriptorForm,
  DrillInToolNames,
  FailedOutput,
  OffloadedOutput,
  OffloadResult,
} from "./core/types/result.js";
