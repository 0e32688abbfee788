import { PassThrough } from "node:stream";
import { MessageChannel } from "node:worker_threads";

import { shareSource } from "../../core/engines/data-source.js";
import { ENDED } from "../../core/engines/run-status.js";
import { createWorkerPool } from "../../core/engines/worker-pool.js";
import { type DrillInLimits, softTimeoutMs } from "../../core/engines/limits.js";
import { messageOf } from "../../util/error-message.js";
import { CODE_LIMITS, type CodeLimits } from "./options.js";
import { compileBounded } from "./quickjs.js";
import type {
  CodeAnswer,
  CodeAsk,
  CodeEngine,
  CodeHost,
  CodeJob,
  CodeResult,
  CodeWorkerData,
} from "./request.js";

const MEBIBYTE = 1024 * 1024;
const MAX_WORKER_MB = 128;
/** Longest host message that code sees, in UTF-16 code units. */
const MAX_MESSAGE_CHARACTERS = 2000;

export function startEngine(
  limits: DrillInLimits,
  { maxMemoryMb, maxKeptBytes }: Pick<CodeLimits, "maxMemoryMb" | "maxKeptBytes"> = CODE_LIMITS,
): CodeEngine {
  const sandboxMemoryBytes = maxMemoryMb * MEBIBYTE;
  const poolLimits = { ...limits, maxMemoryMb: Math.min(limits.maxMemoryMb, MAX_WORKER_MB) };
  const startPool = () =>
    createWorkerPool<CodeJob, CodeResult>(
      "The code",
      ENDED,
      async () => {
        const [sandboxModule, { source }] = await Promise.all([
          compileBounded(sandboxMemoryBytes),
          import("../../core/engines/worker-source/code.js"),
        ]);
        const given: CodeWorkerData = { sandboxModule, sandboxMemoryBytes };
        return { source, given };
      },
      poolLimits,
    );
  let pool = startPool();

  return {
    async run({ code, host, maxOutputBytes }, signal) {
      signal?.throwIfAborted();
      const bridge = openHostBridge(host);
      const job: CodeJob = {
        code,
        toolNames: host.tools?.names ?? [],
        maxOutputBytes,
        maxKeptBytes,
        softTimeoutMs: softTimeoutMs(limits.timeoutMs),
        ...bridge.address,
      };
      try {
        return await pool.run(job, limits.timeoutMs, signal, [bridge.address.port]);
      } finally {
        bridge.close();
      }
    },
    warm: () => pool.warm(),
    async close() {
      const ended = pool;
      pool = startPool();
      await ended.close();
    },
  };
}

type Answered = Omit<CodeAnswer, "key">;

function openHostBridge(host: CodeHost) {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const streams = new Map<number, PassThrough>();
  let closed = false;

  function send(message: CodeAnswer) {
    if (closed) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- ports have no origin
    port1.postMessage(message);
    Atomics.add(bell, 0, 1);
    Atomics.notify(bell, 0);
  }

  async function keep({ key, from }: CodeAsk & { kind: "keep" }): Promise<Answered> {
    // Takes the next piece when the store has read this one.
    const stream = new PassThrough({ highWaterMark: 1 });
    // The consumer of the pieces receives the error.
    stream.on("error", () => {});
    streams.set(key, stream);
    try {
      return { id: await host.keep({ from, pieces: stream }) };
    } finally {
      streams.delete(key);
    }
  }

  async function answered(ask: CodeAsk): Promise<Answered | undefined> {
    const { key } = ask;
    switch (ask.kind) {
      case "open": {
        const body = await host.open(ask.reference);
        return { body: { ...body, source: await shareSource(body.source) } };
      }
      case "keep":
        return await keep(ask);
      case "call": {
        const { toolName, argsJson } = ask;
        return { result: await host.tools?.call({ toolName, args: JSON.parse(argsJson) }) };
      }
      case "piece":
        // After an error, the answer to `keep` says why.
        return void streams.get(key)?.write(ask.text, (error) => {
          if (!error) send({ key, isTaken: true });
        });
      case "end":
        return void streams.get(key)?.end();
    }
  }

  async function hear(ask: CodeAsk) {
    const { key } = ask;
    try {
      const answer = await answered(ask);
      if (answer !== undefined) send({ ...answer, key });
    } catch (error) {
      send({ key, error: messageOf(error).slice(0, MAX_MESSAGE_CHARACTERS) });
    }
  }

  port1.on("message", (ask: CodeAsk) => void hear(ask));
  return {
    address: { port: port2, bell },
    close() {
      closed = true;
      port1.close();
      for (const stream of streams.values())
        stream.destroy(new Error("The run ended before this was whole."));
    },
  };
}
