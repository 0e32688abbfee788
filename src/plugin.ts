/** What a plug-in of your own is made of. */
export type { EventDetail, OffloadEvent } from "./core/types/events.js";
export type {
  Clean,
  DescriptorPart,
  NextOutput,
  OffloadPlugin,
  OutputCall,
  OutputSource,
  PluginApi,
  PluginHooks,
  PluginPutOptions,
  TextPart,
} from "./core/types/plugin.js";
export type { RunningCall } from "./core/types/running-call.js";
