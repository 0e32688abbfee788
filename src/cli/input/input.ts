import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import type { Input } from "../command.js";
import { wrongUsage } from "../wrong-usage.js";
import { bytes } from "../../util/amounts.js";

/**
 * A stream as commands read it.
 *
 * @param echo - Where a person who types sees what is typed, with the prompt.
 * @param name - What errors call it.
 */
export function inputFrom(
  stream: Readable & { readonly isTTY?: boolean },
  echo?: Writable & { readonly isTTY?: boolean },
  name = "Standard input",
): Input {
  return {
    async bytes(maxBytes) {
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const part of stream as AsyncIterable<Uint8Array>) {
        const piece = Buffer.from(part);
        length += piece.length;
        if (length > maxBytes) throw wrongUsage(`${name} has more than ${bytes(maxBytes)}.`);
        parts.push(piece);
      }
      return Buffer.concat(parts);
    },
    async *lines(prompt) {
      if (stream.isTTY !== true || echo?.isTTY !== true) {
        yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
        return;
      }
      const typed = createInterface({ input: stream, output: echo, prompt });
      typed.prompt();
      for await (const line of typed) {
        yield line;
        typed.prompt();
      }
      echo.write("\n");
    },
  };
}
