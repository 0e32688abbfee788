import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { createStoredFiles } from "./stored-files.js";

const CALL = { sessionKey: sessionKeyOf("thread 1") };
const files = createStoredFiles();
const drillIn = files.drillIn({ timeoutMs: 25_000 });
afterAll(() => files.close());

/** What is taken for something else, obeyed or cut by languages on the way: JavaScript, jq, regular expressions, UTF-8. */
const KNOWN = [
  ...String.raw`null NaN -0 1e400 9007199254740993 0x1F ١ __proto__ constructor toString then length $ $& $ENV $__loc__
    env input_filename halt_error \(1) @base64 # ..|. ' " ${"`id`"} -n --help \ \u0000 * ( ) (? [a- a{, ^$ \Q\E |
    ../../etc/passwd %2e%2e%2f é ı ſ 👨‍👩‍👧‍👦`.split(/\s+/),
  ...'~ ~ in front~\n~\r\n~\r~\t~a\0b~\u0001\u001b[31m~\u0085~\u2028~\ufeffx~import "a" as a; .~e\u0301~\u212A'.split(
    "~",
  ),
  ..."\u202eabc~\uffff~\u{10ffff}~\ud800~\ude00b".split("~"),
  "(".repeat(500),
  "\\".repeat(999),
];
const naughty = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);
const batch = fc.uniqueArray(naughty, { minLength: 12, maxLength: 12 });

describe("a naughty string", () => {
  it("as a value and as a key is found by jq, and as a literal pattern on its line", async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (texts) => {
        // `fromEntries` makes an own key of `__proto__` too.
        const rows = texts.map((text, n) => ({ n, text, keys: Object.fromEntries([[text, n]]) }));
        const records = await files.put(JSON.stringify(rows), "thread 1");
        const lines = await files.put(`first\n${texts.join("\n")}\nlast\n`, "thread 1");
        // UTF-8 carries no lone surrogates, so no variable of jq does.
        for (const [n, text] of texts.entries()) {
          if (!text.isWellFormed()) continue;
          const filter = "select(.text == $text or .keys[$text] == .n) | [.n, .text == $text]";
          const args = { id: records.id, filter, args: { text } };
          const found = (await drillIn.run("jq", args, CALL)).text.split("\n").slice(0, -1);
          expect([text, found]).toEqual([text, [JSON.stringify([n, true])]]);
          const search = { id: lines.id, pattern: text, literal: true, count_only: true };
          const answer = (await drillIn.run("grep", search, CALL)).text;
          if (text !== "" && text.length <= 1000 && !/[\r\n]/.test(text))
            expect([text, answer]).toEqual([
              text,
              expect.stringMatching(/^[1-9]\d* matching line/),
            ]);
        }
      }),
      { numRuns: 8 },
    );
  });
});
