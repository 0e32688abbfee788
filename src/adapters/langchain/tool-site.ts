import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { emit } from "../../core/types/events.js";
import type { ToolSite } from "./agent-hooks.js";
import type { CallSite } from "./run/call-site.js";
import { customStream } from "./run/custom-stream.js";
import { callerOf } from "./tool/called-tool.js";

/**
 * Where a tool is called, for the plug-ins of an agent.
 *
 * @param invoke - Calls another tool of the agent.
 */
export function toolSite(
  offloader: Offloader,
  site: CallSite,
  sessionId: string | undefined,
  invoke: Parameters<typeof callerOf>[2],
): ToolSite {
  const onStream = customStream(site);
  return {
    site,
    sessionId,
    state: new Map(),
    callTool: callerOf(offloader, site, invoke),
    emit: (event) => {
      internals(offloader).notify(event);
      emit(onStream, event);
    },
  };
}
