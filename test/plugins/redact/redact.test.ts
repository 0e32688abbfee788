import { describe, expect, it, onTestFinished } from "vitest";

import { createOffloader, memoryStore, resultText } from "../../../src/index.js";
import { type Redact, redact } from "../../../src/plugins/redact/redact.js";

async function redacted(value: string, clean: Redact, options: object = {}): Promise<string> {
  const plugins = [redact(clean)];
  const offloader = createOffloader({ store: memoryStore(), plugins, ...options });
  onTestFinished(() => offloader.close());
  return resultText(await offloader.offload({ toolName: "t", sessionId: "s", value }));
}

const hideName: Redact = (text) => text.replaceAll("Müller", "[NAME]");

describe("redaction", () => {
  it.each([
    ['{"a":"M\\u00fcller"}', '{"a":"[NAME]"}'],
    ["<p>M&#252;ller, M&#xFC;ller</p>", "<p>[NAME], [NAME]</p>"],
    ['{"a":"\\ud83d\\ude00 M\\u00FCller \\u0022"}', '{"a":"😀 [NAME] \\""}'],
    ['{"a":"\\\\\\u004d\\u00fcller \\n"}', '{"a":"\\\\[NAME] \\n"}'],
    ["<p>M&uuml;ller &amp; M&uuml;ller&lt;</p>", "<p>[NAME] &amp; [NAME]&lt;</p>"],
    [JSON.stringify('{"a":"M\\u00fcller"}'), JSON.stringify('{"a":"[NAME]"}')],
  ])("finds what %s spells with escapes", async (text, expected) => {
    expect(await redacted(text, hideName)).toBe(expected);
  });

  it.each(['{"a":"\\u00fc"}', '{"a":"M\\\\u00fcller"}', "&#60;M&#9999999;ller", '["\\ud83d"]'])(
    "leaves the spelling of %s, which hides nothing",
    async (text) => {
      expect(await redacted(text, hideName)).toBe(text);
    },
  );

  it.each([
    ['{"url":"https:\\/\\/a.example\\/?x=1\\u0026token=b7"}', "?x=1&token="],
    ['{"who":"O\\u0027Brien","born":"01\\/02\\/1950"}', "O'Brien"],
    ["<b>O&#39;Brien</b>", "O'Brien"],
  ])("finds what PHP, Go, .NET and markup write as %s", async (text, secret) => {
    expect(await redacted(text, (given) => given.replaceAll(secret, "#"))).toContain("#");
  });

  it("leaves an output inline whose rule throws, and cleans it", async () => {
    const exclude = (): boolean => {
      throw new Error("a fault of the rule");
    };
    expect(await redacted("Müller", hideName, { exclude })).toBe("[NAME]");
  });
});
