import { describe, expect, it, onTestFinished } from "vitest";

import { createOffloader, memoryStore, resultText } from "../../../src/index.js";
import { type Redact, redact } from "../../../src/plugins/redact/redact.js";
import { countTurns } from "../../count-turns.js";

async function redacted(value: string, clean: Redact, options: object = {}): Promise<string> {
  const plugins = [redact(clean)];
  const offloader = createOffloader({ store: memoryStore(), plugins, ...options });
  onTestFinished(() => offloader.close());
  return resultText(await offloader.offload({ toolName: "t", sessionId: "s", value }));
}

async function cleanedBy(clean: Redact, text: string): Promise<string | undefined> {
  return await redact(clean)
    .setup({} as never)
    .clean?.(text, { toolName: "t", part: "output" });
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
    // A name without its semicolon is a parameter of an address.
    [
      '{"a":"M\\u00fcller","b":"?x&copy=1&currency=USD"}',
      '{"a":"[NAME]","b":"?x&copy=1&currency=USD"}',
    ],
    // What hides nothing keeps its spelling.
    ...['{"a":"\\u00fc"}', "&#60;M&#9999999;ller", '["\\ud83d"]'].map((text) => [text, text]),
    ["M&amp;uuml;ller &amp;lt; M&amp;amp;#252;ller", "[NAME] &amp;lt; [NAME]"],
  ])("finds what %s spells with escapes", async (text = "", expected = "") => {
    expect(await redacted(text, hideName)).toBe(expected);
  });

  it.each([1, 2, 3, 4])("finds a name in JSON that %i levels of strings hold", async (depth) => {
    let text = 'A:\\dir, "Müller" \ud83d\n😀/';
    for (let level = 0; level < depth; level += 1) {
      text = JSON.stringify({ text }).replaceAll("/", "\\/");
      text = text.replaceAll(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
    let found: unknown = await redacted(text, hideName);
    for (let level = 0; level < depth; level += 1) found = JSON.parse(String(found)).text;
    expect(found).toBe('A:\\dir, "[NAME]" \ud83d\n😀/');
  });

  it.each([
    ['{"url":"https:\\/\\/a.example\\/"}', "https://a.example/"],
    ['{"url":"https:\\/\\/a.example\\/?x=1\\u0026token=b7"}', "?x=1&token="],
    ['{"who":"O\\u0027Brien","born":"01\\/02\\/1950"}', "O'Brien"],
    ["<b>O&#39;Brien</b>", "O'Brien"],
  ])("finds what PHP, Go, .NET and markup write as %s", async (text, secret) => {
    expect(await redacted(text, (given) => given.replaceAll(secret, "#"))).toContain("#");
  });

  it.each([
    [0, "\\u4e2d\\u6587".repeat(900_000), "中文".repeat(900_000)],
    [1, "\\ud83d\\ude00".repeat(3_000), "😀".repeat(3_000)],
    [2, `\\u00fc${"\\ud83d\\ude00".repeat(3_000)}`, `ü${"😀".repeat(3_000)}`],
  ])(
    "reads a long run of escapes whole, as json.dumps writes Chinese (%i)",
    async (_at, run, is) => {
      const cleaned = await cleanedBy(hideName, `["${run}M\\u00fcller"]`);
      expect(cleaned === `["${is}[NAME]"]`).toBe(true);
    },
  );

  it.each(['"http:\\/\\/a\\/M\\u00fcller",', "&auml;&#x41;&amp;&nothing", "\\\\"])(
    "lets others run while it reads 4 MB of %s without a space",
    async (unit) => {
      const text = `${unit.repeat(Math.ceil(4_000_000 / unit.length))}\\u0041`;
      const counted = countTurns();
      await cleanedBy((given) => given, text);
      counted.stop();
      expect(counted.turns()).toBeGreaterThan(20);
    },
  );

  it("leaves an output inline whose rule throws, and cleans it", async () => {
    const exclude = (): boolean => {
      throw new Error("a fault of the rule");
    };
    expect(await redacted("Müller", hideName, { exclude })).toBe("[NAME]");
  });
});
