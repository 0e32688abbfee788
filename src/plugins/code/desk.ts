import { MessageChannel } from "node:worker_threads";

import { shareSource } from "../../core/engines/data-source.js";
import { type CodeAnswer, type CodeAsk, type DeskAddress, MAX_MESSAGE_CHARACTERS } from "./job.js";
import { createPieceStream, type PieceStream } from "./piece-stream.js";
import type { CodeBody, CodeHost, CodeResult, CodeToolResult } from "./request.js";

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
  const streams = new Map<number, PieceStream>();
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

  async function open(reference: string): Promise<void> {
    try {
      answer({ kind: "opened", body: await forWorker(await host.open(reference)) });
    } catch (error) {
      answer({ kind: "not-opened", message: messageOf(error) });
    }
  }

  async function keep({ key, from, form }: CodeAsk & { readonly kind: "keep" }): Promise<void> {
    const stream = createPieceStream(() => answer({ kind: "taken", key }));
    streams.set(key, stream);
    try {
      const id = await host.keep({ from, form, pieces: stream.pieces });
      if (typeof from === "object") saved.push({ id, name: from.savedAs });
      answer({ kind: "kept", key, id });
    } catch (error) {
      answer({ kind: "not-kept", key, message: messageOf(error) });
    } finally {
      streams.delete(key);
    }
  }

  async function call({ toolName, argsJson, index }: CodeAsk & { readonly kind: "call" }) {
    toolCallCount += 1;
    try {
      if (host.tools === undefined) throw new Error("This run has no tools.");
      const args: unknown = JSON.parse(argsJson);
      const result = await host.tools.call({ toolName, args, index });
      answer({ kind: "called", index, result: await resultForWorker(result) });
    } catch (error) {
      answer({ kind: "called", index, result: { error: messageOf(error) } });
    }
  }

  port1.on("message", (ask: CodeAsk) => {
    switch (ask.kind) {
      case "open":
        return void open(ask.reference);
      case "keep":
        return void keep(ask);
      case "piece":
        return streams.get(ask.key)?.push(ask.bytes);
      case "end":
        return streams.get(ask.key)?.end();
      case "drop":
        return streams.get(ask.key)?.fail(new Error("The code gave up what it was storing."));
      case "call":
        return void call(ask);
    }
  });

  return {
    address: { port: port2, bell },
    done: () => ({ saved, toolCallCount }),
    close() {
      closed = true;
      port1.close();
      for (const stream of streams.values())
        stream.fail(new Error("The run ended before this was whole."));
    },
  };
}

async function forWorker(body: CodeBody): Promise<CodeBody> {
  const { id, source, sets, layout, rowFormat, isOneValue, encoding, markup } = body;
  const form = { layout, rowFormat, isOneValue, encoding, markup };
  return { id, sets, ...form, source: await shareSource(source) };
}

async function resultForWorker(result: CodeToolResult): Promise<CodeToolResult> {
  return "body" in result ? { body: await forWorker(result.body) } : result;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, MAX_MESSAGE_CHARACTERS);
}
