/** Who else is told of what happens: several listeners, and traces. Neither needs LangChain. */
export { combineListeners } from "./core/pipeline/observe/combine-listeners.js";
export {
  openTelemetryListener,
  type OpenTelemetryListenerOptions,
} from "./plugins/opentelemetry/open-telemetry.js";
