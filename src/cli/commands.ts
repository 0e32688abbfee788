import type { Call, Command, ExitCode } from "./call.js";

const DIRECTORY = "  --directory DIR      where the outputs are";

const DRILL_IN = `  --max-tokens N       longest answer (0 is 2,000; at most 8,000)
  --directory DIR      where the outputs are`;

const MODEL = `  --preset NAME        lro, atlatl, mcpagent, vectara or meta-cc
  --threshold N        tokens that stay as they are; a preset's gates apply too`;

// Each part of the program is loaded when it is run.
const drillInto = async (call: Call): Promise<ExitCode> =>
  await (await import("./drill-into.js")).drillInto(call);

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "ls",
    operands: "",
    summary: "List stored outputs, newest first",
    about: "Lists your stored outputs of all sessions, newest first.",
    options: `  --session ID         only those of this session (the LangGraph thread id)
${DIRECTORY}
  --json               print one JSON object`,
    run: async (call) => await (await import("./stored.js")).list(call),
  },
  {
    name: "show",
    operands: "ID",
    summary: "Show what is known about an output, and its recipes",
    about: `Shows what is known about a stored output: the tool call it came from, its size,
its fields, when it expires, and the recipes of its descriptor, as one JSON
object. A recipe is a filter for \`jq\`.`,
    options: DIRECTORY,
    run: async (call) => await (await import("./stored.js")).show(call),
  },
  {
    name: "read",
    operands: "ID",
    summary: "Read lines, characters or records",
    about: `Reads part of a stored output, and says how to read on. Lines and records count
from 1, characters from 0, negative numbers, as in --start-line=-5, from the end.
All of it is the file whose path \`show\` prints.`,
    options: `  --start-line LINE, --end-line LINE          both inclusive
  --start-record RECORD, --end-record RECORD  both inclusive
  --start CHARACTER, --end CHARACTER          the end exclusive
  --start-character N  characters to skip in the first line
${DRILL_IN}`,
    run: drillInto,
  },
  {
    name: "grep",
    operands: "ID PATTERN",
    summary: "Search the lines of an output",
    about: `Searches the lines of a stored output for a regular expression (RE2: no
lookaround, no backreferences). Hits are number:text, context is number-text.
A PATTERN that begins with - goes after --.`,
    options: `  -i, --ignore-case    upper and lower case are the same
  -F, --literal        the pattern is plain text
  -v, --invert         lines that do not match
  -c, --count-only     only the number of lines
  -o, --only-matching  the texts that match, each once with its count
  --start-line LINE, --end-line LINE  search these; =-1 is the last
  --skip N             leave out the first N hits
  -m, --max-results N  show at most N hits; 0 for all
  -B, --before N       show N lines before each hit
  -A, --after N        show N lines after each hit
${DRILL_IN}`,
    run: drillInto,
  },
  {
    name: "jq",
    operands: "ID FILTER",
    summary: "Run a jq filter over the records of an output",
    about: `Runs a jq filter over each record of a stored output, or over the document. jq
1.8.2 is built in; the filter reaches no file and no network.`,
    options: `  -s, --slurp          run once, on all records as one array
  -r, --raw            print strings without quotes
  --pretty             several lines a result
  --arg NAME=TEXT      set the variable $NAME to a text; may be repeated
  --argjson NAME=JSON  set the variable $NAME to a JSON value; may be repeated
  --with NAME=ID       set $NAME to the records of another output; repeatable
  --skip N, --limit N  leave out the first N results; at most N
${DRILL_IN}`,
    run: drillInto,
  },
  {
    name: "sql",
    operands: "ID QUERY",
    summary: "Run a SELECT over the records of an output",
    about: `Runs one SELECT over the records of a stored output, the table \`output\`, of
which "DESCRIBE output" lists the columns. Where \`show\` names record sets with
tables, those take its place. Needs the package @duckdb/node-api.`,
    options: `  --with NAME=ID       another output, the table NAME; may be repeated
  --skip N             leave out the first N rows
${DRILL_IN}`,
    run: drillInto,
  },
  {
    name: "describe",
    operands: "FILE",
    summary: "Print what a model would see of a file",
    about: `Prints what a model would see of a file if a tool had returned it, and on
standard error its tokens. FILE may be - for standard input. Nothing stays.`,
    options: MODEL,
    run: async (call) => await (await import("./model-view.js")).describe(call),
  },
  {
    name: "try",
    operands: "FILE [FILE]...",
    summary: "Make a model's calls yourself, with tokens counted",
    about: `Shows files as if tools had returned them, and answers a model's calls, which it
reads from standard input, one per line, with the tokens that each costs:

  jq_tool_output {"filter": "length"}    of the first stored file, if no id is given
  exit                                   the end`,
    options: MODEL,
    run: async (call) => await (await import("./model-view.js")).tryOut(call),
  },
  {
    name: "inspect",
    operands: "",
    summary: "Serve a page that shows what agents store, see and read",
    about: `Serves a page on this machine that shows what agents have stored and, with a
journal, what their models saw and read. Open the address that it prints. It
changes nothing. Ctrl+C ends it.`,
    options: `  --journal DIR        what the plugin journal() writes; shows more
  --port N             port on 127.0.0.1 (0: any that is free)
${DIRECTORY}`,
    run: async (call) => await (await import("./inspect.js")).inspect(call),
  },
  {
    name: "clean",
    operands: "",
    summary: "Remove outputs that have expired",
    about: `Removes stored tool outputs that have expired, as a running offloader does
every hour. It is safe while agents use the directory.`,
    options: DIRECTORY,
    run: async (call) => await (await import("./stored.js")).clean(call),
  },
  {
    name: "proxy",
    operands: "URL | -- COMMAND...",
    summary: "Run a proxy in front of an MCP server",
    about: `Keeps large results of an MCP server out of its client's context. The server is
at URL (streamable HTTP), or is COMMAND. Ends with 1 when the server does.`,
    options: `  --threshold N        tokens that pass unchanged; default 1600, of text 6400
  --tools LIST         of extract,read,grep,jq; default extract,read
  --code               and code_tool_output: JavaScript over what is stored
  --media              large images and files too, and view_tool_output
  --directory DIR, --ttl N  where results are stored; for N seconds
  --session NAME       reach what an earlier run under this name stored
  --config FILE        a TOML file with [prompt.offload]
  --header-env H=NAME  sends header H with the value of variable NAME; the variable
                       LANGCHAIN_OFFLOAD_TOKEN is sent as a bearer token`,
    run: async (call) => await (await import("./proxy.js")).proxy(call),
  },
];
