import type { Call, Command, ExitCode } from "./call.js";

/** What every command on a directory of outputs takes. */
const DIRECTORY = `  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object
  -h, --help       print this help`;

/** What every command that drills in takes. */
const DRILL_IN = `  --max-tokens N       longest answer (2,000, as for a model)
  --timeout N          longest run in seconds (10)
  --directory DIR, --config FILE, --json, -h, --help`;

/** What the commands take that show what a model sees. */
const MODEL = `  --preset NAME   lro, atlatl, mcpagent, vectara or meta-cc; none by default
  --form FORM     auto (default), full, generic or bare; not for the last three
  --threshold N   tokens that stay as they are, in place of the preset's limit`;

// Each part of the program is loaded when it is run.
const drillInto = async (call: Call): Promise<ExitCode> =>
  await (await import("./drill-into.js")).drillInto(call);

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "ls",
    summary: "List stored outputs, newest first",
    help: `Usage: langchain-offload ls [options]

Lists the stored outputs of a directory and of the sessions' folders in it,
newest first: those of all sessions, as far as the files are yours.

Options:
  --session ID     only those of this session (the LangGraph thread id)
  --tool NAME      only those of this tool
  --limit N        at most N
  --expired        those that have expired and are not yet removed, instead
  --ids            only the ids, one a line
${DIRECTORY}

Exit codes: 0 done, also when there are none; 2 wrong usage, or the directory
cannot be read.
`,
    run: async (call) => await (await import("./stored.js")).list(call),
  },
  {
    name: "show",
    summary: "Show what is known about an output, and its recipes",
    help: `Usage: langchain-offload show ID [options]

Shows what is known about a stored output: the tool call it came from, its size,
its fields, when it expires, and the recipes of its descriptor. Long values are
cut; --json has them in full.

ID is an id, a unique beginning of one, a file name, a path, or \`latest\`.

Options:
${DIRECTORY}

Exit codes: 0 shown; 1 there is no such output, or it has expired; 2 wrong
usage, or a fault.
`,
    run: async (call) => await (await import("./stored.js")).show(call),
  },
  {
    name: "read",
    summary: "Read lines, characters or records, or everything",
    help: `Usage: langchain-offload read ID [options]

Reads part of a stored output, and says how to read on. Lines and records count
from 1, characters from 0, negative numbers from the end.

Options:
  --start-line N, --end-line N      lines, both inclusive
  --start-record N, --end-record N  records, both inclusive
  --start N, --end N                characters, the end exclusive
  --start-character N               characters to skip in the first line
  --all                everything as it is stored, and nothing else
${DRILL_IN}

On a terminal control characters are shown as escapes; into a file or a pipe
--all writes the stored bytes.
Exit codes: 0 read; 1 there is no such output, or it has expired; 2 wrong usage,
or a fault.
`,
    run: async (call) => await (await import("./drill-into.js")).read(call),
  },
  {
    name: "grep",
    summary: "Search the lines of an output",
    help: `Usage: langchain-offload grep ID PATTERN [options]

Searches the lines of a stored output for a regular expression (RE2: no
lookaround, no backreferences). Hits are number:text, context is number-text.

Options:
  -i, --ignore-case    upper and lower case are the same
  -F, --literal        the pattern is plain text
  -v, --invert         lines that do not match
  -c, --count-only     only the number of lines
  -o, --only-matching  the texts that match, each once with its count
  --start-line N, --end-line N  search these lines; -1 is the last
  --last N             show the last N hits
  --skip N             leave out the first N hits
  -m, --max-results N  show at most N hits
  -B, --before N       show N lines before each hit
  -A, --after N        show N lines after each hit
${DRILL_IN}

Exit codes: 0 found; 1 no line matches, or there is no such output; 2 wrong
usage, or a fault. A PATTERN that begins with - goes after --.
`,
    run: drillInto,
  },
  {
    name: "jq",
    summary: "Run a jq filter over the records of an output",
    help: `Usage: langchain-offload jq ID FILTER [options]

Runs a jq filter over a stored output: over each record by itself, or over the
whole document. jq 1.8.2 is built in; the filter reaches no file and no network.

Options:
  -s, --slurp          run once, on all records as one array
  -r, --raw            print strings without quotes
  --pretty             several lines a result
  --arg NAME=TEXT      set the variable $NAME to a text; may be repeated
  --argjson NAME=JSON  set the variable $NAME to a JSON value; may be repeated
  --with NAME=ID       set $NAME to the records of another output; repeatable
  --skip N             leave out the first N results
  --limit N            at most N results
${DRILL_IN}

Exit codes: 0 there are results; 1 no result, or there is no such output;
2 wrong usage, an error of jq, or a fault.
`,
    run: drillInto,
  },
  {
    name: "sql",
    summary: "Run a SELECT over the records of an output",
    help: `Usage: langchain-offload sql ID QUERY [options]

Runs one SELECT over the records of a stored output, the table \`output\`. Needs
the package @duckdb/node-api. The query runs in a process of its own, which
reaches these outputs and nothing else; "DESCRIBE output" lists the columns.

Options:
  --with NAME=ID       another output, the table NAME; may be repeated
${DRILL_IN}

Exit codes: 0 there are rows; 1 no row, or there is no such output; 2 wrong
usage, an error of the query, a missing package, or a fault.
`,
    run: drillInto,
  },
  {
    name: "extract",
    summary: "Run a recipe of the descriptor",
    help: `Usage: langchain-offload extract ID [options]

Runs a recipe of the output's descriptor, or a jq filter, over its records.
\`langchain-offload show ID\` lists the recipes.

Options:
  --recipe N           number of the recipe, from 1
  --param NAME=VALUE   value for the recipe; may be repeated
  --query FILTER       a jq filter in place of a recipe
  --skip N             leave out the first N results
${DRILL_IN}

Exit codes: 0 there are results; 1 no result, or there is no such output;
2 wrong usage, an error of jq, or a fault.
`,
    run: drillInto,
  },
  {
    name: "describe",
    summary: "Print what a model would see of a file",
    help: `Usage: langchain-offload describe FILE [options]

Prints what a model would see of a file if a tool had returned it, and on
standard error its tokens beside those of the file. FILE may be - for standard
input. Nothing stays stored.

Options:
${MODEL}
  --json          print one JSON object
  -h, --help      print this help

Exit codes: 0 done; 2 wrong usage, or a fault.
`,
    run: async (call) => await (await import("./model-view.js")).describe(call),
  },
  {
    name: "try",
    summary: "Make a model's calls yourself, with tokens counted",
    help: `Usage: langchain-offload try FILE [FILE]... [options]

Puts you into the model's place: files as if tools had returned them, the tools
that a model has, answers as it gets them, tokens as it pays. Calls are read
from standard input, one a line:

  jq_tool_output {"id": "...", "filter": "length"}
  jq length        the same of the first file, for tools with one argument
  help, exit       the tools and their arguments; the end

Options:
${MODEL}
  --json          one JSON object a line: tools and files, then answers
  -h, --help      print this help

Exit codes: 0 done; 2 wrong usage, or a fault.
`,
    run: async (call) => await (await import("./model-view.js")).tryOut(call),
  },
  {
    name: "inspect",
    summary: "Serve a page that shows what agents store, see and read",
    help: `Usage: langchain-offload inspect [options]

Serves a page on this machine that shows what agents have stored and, with a
journal, what their models saw, what they read and never read, and how their
contexts grew. Open the address that it prints; it has a token, without which
every request is refused. The page stays up to date while agents run.

Options:
  --journal DIR    what the plug-in journal() writes; the page shows more with it
  --port N         port on 127.0.0.1 (0: any that is free)
${DIRECTORY}

It changes nothing, but removes expired outputs when you ask it to. Ctrl+C ends
it. Exit codes: 0 ended; 2 wrong usage, or a fault, such as a port in use.
`,
    run: async (call) => await (await import("./inspect.js")).inspect(call),
  },
  {
    name: "clean",
    summary: "Remove outputs that have expired",
    help: `Usage: langchain-offload clean [options]

Removes stored tool outputs that have expired, as a running offloader does
every hour. It takes only what langchain-offload wrote for this user beyond
doubt, and is safe while agents use the directory.

Options:
${DIRECTORY}

Exit codes: 0 done, also when nothing had expired; 2 wrong usage, or the
directory cannot be read.
`,
    run: async (call) => await (await import("./stored.js")).clean(call),
  },
  {
    name: "proxy",
    summary: "Stand in front of an MCP server",
    help: `Usage: langchain-offload proxy [options] URL
       langchain-offload proxy [options] -- COMMAND [ARGUMENT]...

Stands in front of an MCP server and keeps large tool results out of the
client's context. The server is at URL (streamable HTTP), or is COMMAND.

Options:
  --threshold N        tokens that pass unchanged; default 1600, of text 6400
  --tools LIST         of extract,read,grep,jq; default extract,read
  --code               and code_tool_output: JavaScript over what is stored
  --resources          stored results are resources, beside the server's
  --resource-links     the same, and results link to what is stored of them
  --media              large images and files too, and view_tool_output
  --directory DIR      where results are stored
  --ttl N              for N seconds
  --session NAME       reach what an earlier run under this name stored
  --config FILE        a TOML file with [prompt.offload]
  --token-env NAME     variable with a token; or LANGCHAIN_OFFLOAD_TOKEN
  --header-env H=NAME  sends header H with the value of variable NAME
  --verbose            tells standard error what is stored; -h, --help: this

Exit codes: 0 the client or a signal ended it; 1 the server did; 2 wrong usage.
`,
    run: async (call) => await (await import("./proxy.js")).proxy(call),
  },
  {
    name: "doctor",
    summary: "Say what is configured, where from, and what is missing",
    help: `Usage: langchain-offload doctor [options]

Says what is configured and where it comes from, which versions there are of
Node.js and of the packages beside this one, and whether SQL is on by itself.
It changes nothing.

\`missing\` is optional, \`warning\` is worked round, \`fault\` does not work.

Options:
${DIRECTORY}

Exit codes: 0 no faults; 2 a fault, or wrong usage.
`,
    run: async (call) => await (await import("./doctor.js")).doctor(call),
  },
];
