import type { OffloadEvent, OffloadListener } from "../../../core/types/events.js";
import { fieldOf } from "../../../util/field-of.js";

/**
 * Writes events to LangGraph's custom stream, each under the key `langchain-offload`; an error is
 * told by its message. Does nothing where there is no stream.
 *
 * @param site - The runtime or the config with which a node or a tool was called.
 */
export function customStream(site: unknown): OffloadListener {
  const writer = fieldOf(site, "writer");
  return (event: OffloadEvent) => {
    if (typeof writer !== "function") return;
    const shown = "error" in event ? { ...event, error: String(event.error) } : event;
    Reflect.apply(writer, undefined, [{ "langchain-offload": shown }]);
  };
}
