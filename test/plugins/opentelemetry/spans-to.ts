import { trace, type TracerProvider } from "@opentelemetry/api";

import type { OffloadPlugin } from "../../../src/core/types/plugin.js";
import { openTelemetry } from "../../../src/plugins/opentelemetry/open-telemetry.js";

/** The plugin as it is made while this is the global provider. */
export function spansTo(provider: TracerProvider): OffloadPlugin {
  trace.setGlobalTracerProvider(provider);
  try {
    return openTelemetry();
  } finally {
    trace.disable();
  }
}
