/** Rules without a test, and why. */
export const NOT_APPLICABLE: Readonly<Record<number, string>> = {
  2: "Concerns HTTP clients of a memory service; this library has none.",
  61: "Of the older revision; the newer one has the proxy instead.",
  78: "Optional. Tools are not guessed at; `describe.form` and `drillIn` say what there is.",
  79: "Optional, an application's choice: `enabled: false` or a higher `threshold`.",
};
