import { AsyncLocalStorage } from "node:async_hooks";

import { type Context, context, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, it } from "vitest";

import { openTelemetry } from "../../../src/plugins/opentelemetry/open-telemetry.js";
import {
  createOffloader,
  memoryStore,
  OffloadError,
  type OffloadEvent,
} from "../../../src/index.js";
import { spansTo } from "./spans-to.js";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
afterEach(() => exporter.reset());

const spanOf = (event: OffloadEvent): ReadableSpan => {
  const { onEvent } = spansTo(provider).setup({} as never);
  onEvent?.(event, {});
  return exporter.getFinishedSpans().at(-1) ?? expect.fail();
};

describe("the OpenTelemetry listener", () => {
  it("gives the span of a failed write the status error and a code, not a message that may quote the data", () => {
    const span = spanOf({
      type: "write-failed",
      specName: "OffloadWriteFailed",
      toolName: "search",
      toolCallId: undefined,
      store: "file",
      fallback: "truncated",
      error: new OffloadError("STORE_WRITE_FAILED", "ssn 123-45 in /var/outputs"),
    });
    const message = "STORE_WRITE_FAILED";
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message });
    expect(JSON.stringify(span.attributes)).not.toContain("ssn");
    expect(span.attributes).toMatchObject({
      "langchain_offload.error_code": message,
      "langchain_offload.fallback": "truncated",
    });
  });

  it("has no data of a plugin's event, which may be anything", () => {
    const event = { type: "plugin-event", plugin: "p", name: "n", data: "a secret" } as const;
    expect(JSON.stringify(spanOf(event).attributes)).not.toContain("secret");
  });

  it("makes a child of the span in which the output is offloaded, with the global tracer", async () => {
    const active = new AsyncLocalStorage<Context>();
    context.setGlobalContextManager({
      active: () => active.getStore() ?? ROOT_CONTEXT,
      with: (given, fn, self, ...args) => active.run(given, () => fn.apply(self as never, args)),
      bind: (_given, target) => target,
      enable: () => context as never,
      disable: () => context as never,
    });
    trace.setGlobalTracerProvider(provider);
    try {
      const offloader = createOffloader({ store: memoryStore(), plugins: [openTelemetry()] });
      await trace.getTracer("app").startActiveSpan("tool", async (span) => {
        const value = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id })));
        const result = await offloader.offload({ toolName: "list", value, sessionId: "s" });
        expect(result.outcome).toBe("offloaded");
        span.end();
      });
      await offloader.close();
      const [offloaded, parent] = exporter.getFinishedSpans();
      expect(offloaded?.name).toBe("langchain_offload.offloaded");
      expect(offloaded?.instrumentationScope.name).toBe("langchain-offload");
      expect(offloaded?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    } finally {
      trace.disable();
      context.disable();
    }
  });
});
