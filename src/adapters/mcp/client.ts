import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { type Message, readMessages, tooLongAnswer, unreadableAnswer } from "./message.js";
import {
  isTooLong,
  linesOf,
  type LongMessage,
  withoutMark,
  writeLine,
} from "./transport/framing.js";
import { within } from "./transport/upstream.js";

/** Where the lines for the client go. */
export interface ClientOutput {
  /** Writes one line. The promise is there while the client takes no more. */
  write(line: Uint8Array | string): Promise<void> | undefined;
  /** Nobody waits for the client any more; lines are still written. */
  release(): void;
  /** Resolves when all is with the client, or it has not read for `maxMs`. */
  flush(maxMs: number): Promise<void>;
}

/** Writes lines to a stream that may be slow, or gone. */
export function clientOutput(stream: Writable): ClientOutput {
  const released = new AbortController();
  const { signal } = released;
  /** One for all that wait. */
  let drained: Promise<void> | undefined;

  function isGone(): boolean {
    return stream.destroyed || stream.writableEnded;
  }

  return {
    write(line) {
      if (isGone() || writeLine(stream, line) || signal.aborted) return undefined;
      const forget = (): void => (drained = undefined);
      drained ??= once(stream, "drain", { signal }).then(forget, forget);
      return drained;
    },
    release: () => released.abort(),
    async flush(maxMs) {
      if (isGone()) return;
      const written = new Promise<void>((resolve) => {
        stream.write("", () => resolve());
      });
      await within(written, maxMs);
    },
  };
}

/** Who the client's messages go to. */
export interface ClientInputOptions {
  readonly client: ClientOutput;
  readonly warn: (sentence: string) => void;
  /** Longest message, in bytes. */
  readonly maxMessageBytes: number;
  /**
   * One message, and the bytes that are it, when they are it alone. The promise is there while no more is
   * taken.
   */
  readonly onMessage: (message: Message, line?: Buffer) => Promise<void> | undefined;
  /** What the server is told in place of an answer of the client. */
  readonly tellServer: (answer: Message) => void;
}

/** Reads what a client writes until it ends. What is no message, or too long a one, is answered and left out. */
export async function readClient(
  input: Readable,
  { client, warn, maxMessageBytes, onMessage, tellServer }: ClientInputOptions,
): Promise<void> {
  for await (const line of linesOf(input, maxMessageBytes)) {
    if (isTooLong(line)) refuse(line);
    else if (!isBlank(line)) await take(withoutMark(line));
  }

  async function take(line: Buffer): Promise<void> {
    const text = line.toString("utf8");
    const messages = readMessages(text);
    if (messages === undefined) {
      warn("The client wrote something that is no message; it was left out.");
      await client.write(unreadableAnswer(text));
    }
    for (const message of messages ?? []) {
      await onMessage(message, message.text === text ? line : undefined);
    }
  }

  function refuse({ id, hasMethod, maxBytes }: LongMessage): void {
    const reason = `A message of the client was longer than ${maxBytes} bytes; it was left out`;
    warn(`${reason}.`);
    if (id === undefined) return;
    const answer = tooLongAnswer(id, reason);
    if (hasMethod) void client.write(answer);
    // The server waits for what the client has answered.
    else for (const message of readMessages(answer) ?? []) tellServer(message);
  }
}

/** White space alone, such as the line end that some clients write twice. */
function isBlank(line: Buffer): boolean {
  return line.length < 16 && line.toString("latin1").trim() === "";
}
