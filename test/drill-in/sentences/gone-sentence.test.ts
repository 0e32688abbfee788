import { describe, expect, it } from "vitest";

import { goneSentence } from "../../../src/drill-in/sentences/gone-sentence.js";

const artifact = { fileName: "mail-01.txt", toolName: "send_mail", args: { to: "a" } };

describe("the sentence for what is gone", () => {
  it("tells the call that makes an output again, but not of a result that left its conversation later", () => {
    expect(goneSentence(artifact, "has expired")).toContain("call the tool send_mail again");
    const sentence = goneSentence({ ...artifact, wasInline: true }, "has expired");
    expect(sentence).toBe(
      "mail-01.txt has expired. It was part of a call of send_mail in this conversation, and is kept nowhere else now.",
    );
  });
});
