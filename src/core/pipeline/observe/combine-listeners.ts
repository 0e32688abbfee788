import { emit, type OffloadListener } from "../../types/events.js";

/**
 * Makes one listener of several, called in the order given. One that throws keeps no other from
 * hearing the event. Without listeners, nothing happens.
 */
export function combineListeners(...listeners: readonly OffloadListener[]): OffloadListener {
  return (event) => {
    for (const listener of listeners) emit(listener, event);
  };
}
