/** Who else is told of what happens: several listeners, and traces. Neither needs LangChain. */
export { combineListeners } from "./observe/combine-listeners.js";
export {
  openTelemetryListener,
  type OpenTelemetryListenerOptions,
} from "./observe/open-telemetry.js";
