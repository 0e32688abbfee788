/** The types of the library without LangChain, which its other half shows too. */
export type { AgingOptions } from "./aging/aging-options.js";
export type { Redact, RedactedPart } from "./content/redact/redactor.js";
export type { StreamOptions } from "./content/stream/output-stream.js";
export type { DecideOptions } from "./decide/decide.js";
export type { ScopeOptions } from "./decide/scope.js";
export type { ContentProfile } from "./describe/profile/profile-document.js";
export type { RecordProfile } from "./describe/profile/profile.js";
export type { FieldProfile } from "./describe/profile/shape.js";
export type { ReferenceOptions } from "./describe/references.js";
export type { DrillIn, DrillInAnswer } from "./drill-in/drill-in.js";
export type { OffloadErrorCode } from "./errors.js";
export type { OffloadEvent, OffloadListener } from "./events.js";
export type { RetentionOptions } from "./lifecycle/retention-options.js";
export type { MeasureOptions } from "./measure/measure.js";
export type { Stats } from "./observe/stats.js";
export type { Offloader } from "./offload/create-offloader.js";
export type { PutOptions } from "./offload/enter/put.js";
export type { SessionTool } from "./offload/loop/session-tools.js";
export type {
  DescribeStageOptions as DescribeOptions,
  DrillInOptions,
  OffloadOptions,
  OwnToolOptions,
  ToolOptions,
} from "./options/options.js";
export type {
  ArtifactPage,
  ArtifactStore,
  ByteRange,
  NewArtifact,
} from "./store/artifact-store.js";
export type { FileStoreOptions } from "./store/file/index.js";
export type { MemoryStoreOptions } from "./store/memory.js";
export type { AccessRule } from "./types/access.js";
export type { CarriedArtifact, Recipe, StoredArtifact } from "./types/artifact.js";
export type { Content } from "./types/content.js";
export type { ShownMedia, StoredMedia } from "./types/media.js";
export type { ToolOutput } from "./types/output.js";
export type {
  Descriptor,
  DescriptorForm,
  DrillInToolNames,
  FailedOutput,
  OffloadedOutput,
  OffloadResult,
} from "./types/result.js";
