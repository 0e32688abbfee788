/**
 * Words under which readers look for a page, or for a part of one, that does not use them in its headings: found in
 * the search, shown nowhere. The page or heading that stands first for each word is tested after every build.
 */
export const KEYWORDS: Readonly<Record<string, string>> = {
  "quickstart.md": "createAgent, middleware, install",
  "guides/state-graph.md": "StateGraph, ToolNode, checkpointer, PostgreSQL, restart",
  "how-it-works.md#streams": "streaming, async iterable, ReadableStream, generator, large file",
  "guides/your-own-loop.md":
    "own loop, without LangChain, custom agent loop, OpenAI SDK, Anthropic SDK, AI SDK, Vercel",
  "guides/write-a-part.md": "own store, custom store, own describer, custom descriptor, own preset",
  "guides/test-your-agent.md": "scriptedModel, fake model, mock, unit test",
  "guides/several-machines.md": "production, deployment, PostgreSQL, Redis, S3, shared store",
  "guides/troubleshooting.md": "problem, not working, FAQ, debug",
  "guides/thresholds.md": "token limit, threshold, context window",
  "stores.md": "file store, where outputs are stored, TTL, retention, expiry",
  "guides/private-data.md": "encryption, redaction, PII, secrets",
};
