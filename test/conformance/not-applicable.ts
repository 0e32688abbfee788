const PROXY = "Concerns the MCP proxy, which is not part of this package yet.";

/** Rules without a test, and why. */
export const NOT_APPLICABLE: Readonly<Record<number, string>> = {
  2: "Concerns HTTP clients of a memory service; this library has none.",
  5: "Concerns the results of MCP tasks, which LangChain tools do not have.",
  60: "Advice to operators: turn offloading off, or give a store that both sides reach.",
  61: "Of the older revision; the newer one has the proxy instead.",
  62: PROXY,
  63: PROXY,
  64: PROXY,
  65: PROXY,
  66: PROXY,
  67: PROXY,
  68: PROXY,
  69: PROXY,
  78: "Optional. Tools are not guessed at; `describe.shell` and `drillIn` say what there is.",
  79: "Optional, an application's choice: `enabled: false` or a higher `decide.threshold`.",
};
