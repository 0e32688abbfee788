export type { DescriberInput } from "./core/describe/describer.js";
export type { EventDetail, OffloadEvent } from "./core/types/events.js";
export type {
  Clean,
  DrillInTool,
  McpHost,
  NextOutput,
  OffloadPlugin,
  OutputCall,
  OutputSource,
  PluginApi,
  PluginHooks,
  PluginPutOptions,
  TextPart,
  ToolAnswer,
} from "./core/types/plugin.js";
export type { DescriptorPart } from "./core/types/result.js";
export type { RunningCall } from "./core/types/running-call.js";
