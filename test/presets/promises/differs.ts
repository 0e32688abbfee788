/** A design of which every promise is tested; of the newer revision of LRO each rule is, in test/conformance. */
export type Design = "atlatl" | "mcpagent" | "vectara" | "meta-cc";

/** The designs in the order of docs/presets.md, by the name of the document that each was read in. */
export const DESIGNS: Readonly<Record<Design, string>> = {
  atlatl: "the LRO specification, older revision",
  mcpagent: "mcpagent's Context Offloading",
  vectara: "Vectara's Tool-output offloading",
  "meta-cc": "meta-cc's ADR-004, Hybrid Output Mode Design",
};

/** Where what holds here is not to the letter what the document says, by design and number, and why. */
export const DIFFERS: Readonly<Record<Design, Readonly<Record<number, string>>>> = {
  atlatl: {
    2: "Read by `atlatl({ env: process.env })`.",
    3: "Read by `atlatl({ env: process.env })`.",
    6: "The document names no lowest threshold. Smaller sets get the generic form.",
    13: "The document has files only; in a store without them a shell command would fail, so the form has the id.",
  },
  mcpagent: {
    2: 'The text says "exceeds", the diagram ">= 10k": the diagram holds.',
    3: "The session's folder is named by a hash of its id, which may be any text.",
    4: "With an id before the extension: two outputs of one second stay apart, and names cannot be guessed.",
    6: "At most 80 % of the output, between lines that no output can forge; control characters are escaped.",
    8: 'A list of tools that changes makes a prompt cache start anew: `mcpagent({ showTools: "always" })` keeps them from the start.',
    19: "Ranges of more than 20,000 tokens, and those that a window has no room for, come in parts.",
    21: "Files of the own session only: another user may have the others.",
    22: "No path is opened at all: only names of this session are looked up.",
    23: "Patterns are RE2: no lookaround and no backreferences.",
    24: "Better than promised: search and jq are built in.",
  },
  vectara: {
    4: "A window that is not known is taken for one of 128,000 tokens, with a warning.",
    8: "Where no answer tells its usage, the system prompt and the tools' definitions are not counted.",
    13: "Bounded by `drillIn.maxAnswerTokens`, `max_tokens` asks for more.",
    20: "Said of the drill-ins. Parameters of your own tools are not looked at: the model sees them in their definitions.",
    24: "At the latest after 30 days, where nobody ends the session.",
    25: "By the name in the process that has put it; elsewhere by the id of its descriptor.",
  },
  "meta-cc": {
    4: "Not on tools that their provider holds to a strict schema, nor where a node is a function of your own.",
    8: "With an id in the name, which cannot be guessed; a document that has more than its records is one `.json`.",
    9: "From the data: `status`, else the field with the fewest values.",
    12: "Beside `file_ref`, as `guidance`: the document gives it to Claude in its own instructions.",
    13: "By the drill-in tools, `read_tool_output` for Read and so on, which need no shell.",
    15: "The document's example fails in jq itself on JSON lines.",
    21: "Where all of it would not fit into nine tenths of the window, it is cut there, with a warning.",
    22: "An event, `missing`, and a sentence for the model; it is the model that asks again.",
  },
};
