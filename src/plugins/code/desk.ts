import { PassThrough } from "node:stream";
import { MessageChannel } from "node:worker_threads";

import { shareSource } from "../../core/engines/data-source.js";
import {
  type CodeAnswer,
  type CodeAnswered,
  type CodeAsk,
  type DeskAddress,
  MAX_MESSAGE_CHARACTERS,
} from "./job.js";
import type { CodeBody, CodeHost, CodeResult } from "./request.js";

/** Where the questions of one run are answered, in the thread that began it. */
export interface Desk {
  /** For the worker; its port is to be handed over. */
  readonly address: DeskAddress;
  /** What the run has done so far, as far as it is known on this side. */
  done(): Pick<CodeResult, "saved" | "toolCallCount">;
  /** Answers nothing more; what is being stored is given up. */
  close(): void;
}

/** Opens a desk over a host. */
export function openDesk(host: CodeHost): Desk {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const streams = new Map<number, PassThrough>();
  const saved: { id: string; name: string }[] = [];
  let toolCallCount = 0;
  let closed = false;

  function answer(message: CodeAnswer): void {
    if (closed) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- ports have no origin
    port1.postMessage(message);
    Atomics.add(bell, 0, 1);
    Atomics.notify(bell, 0);
  }

  async function answerTo(key: number, question: Promise<CodeAnswered>): Promise<void> {
    try {
      answer({ ...(await question), key });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      answer({ key, error: message.slice(0, MAX_MESSAGE_CHARACTERS) });
    }
  }

  async function open(reference: string): Promise<CodeAnswered> {
    return { body: await forWorker(await host.open(reference)) };
  }

  async function keep({ key, from, form }: CodeAsk & { kind: "keep" }): Promise<CodeAnswered> {
    const stream = new PassThrough({ objectMode: true });
    // Whoever takes the pieces hears of it.
    stream.on("error", () => {});
    streams.set(key, stream);
    try {
      const id = await host.keep({ from, form, pieces: piecesOf(key, stream) });
      if (typeof from === "object") saved.push({ id, name: from.savedAs });
      return { id };
    } finally {
      streams.delete(key);
    }
  }

  async function* piecesOf(key: number, stream: PassThrough): AsyncGenerator<Uint8Array, void> {
    for await (const piece of stream) {
      answer({ key, isTaken: true });
      yield piece;
    }
  }

  async function call(asked: CodeAsk & { kind: "call" }): Promise<CodeAnswered> {
    toolCallCount += 1;
    if (host.tools === undefined) throw new Error("This run has no tools.");
    const { toolName, argsJson, index } = asked;
    const args: unknown = JSON.parse(argsJson);
    const result = await host.tools.call({ toolName, args, index });
    return "body" in result ? { body: await forWorker(result.body) } : result;
  }

  port1.on("message", (ask: CodeAsk) => {
    const { key } = ask;
    switch (ask.kind) {
      case "open":
        return void answerTo(key, open(ask.reference));
      case "keep":
        return void answerTo(key, keep(ask));
      case "piece":
        return void streams.get(key)?.write(ask.bytes);
      case "end":
        return void streams.get(key)?.end();
      case "drop":
        return void streams.get(key)?.destroy(new Error("The code gave up what it was storing."));
      case "call":
        return void answerTo(key, call(ask));
    }
  });

  return {
    address: { port: port2, bell },
    done: () => ({ saved, toolCallCount }),
    close() {
      closed = true;
      port1.close();
      for (const stream of streams.values())
        stream.destroy(new Error("The run ended before this was whole."));
    },
  };
}

async function forWorker(body: CodeBody): Promise<CodeBody> {
  return { ...body, source: await shareSource(body.source) };
}
