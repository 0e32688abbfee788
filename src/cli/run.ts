import { parseArgs } from "node:util";
import { clean, type ExitCode, type Surroundings } from "./clean.js";
import { proxy } from "./proxy.js";

const HELP = `Usage: npx langchain-offload clean [options]

Removes stored tool outputs that have expired, as a running offloader does
every hour. It takes only what langchain-offload wrote for this user beyond
doubt, and is safe while agents use the directory. The command proxy, which
stands in front of an MCP server, has a help of its own: proxy --help.

Options:
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object
  -h, --help       print this help

The directory is the first of: --directory, the environment variable
ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR, output_dir of the file, and the system's
temporary directory.

Exit codes: 0 done, also when nothing had expired; 1 the directory cannot be
read; 2 wrong usage.
`;

/** Runs the command line `args`, the program's name not among them. Never throws. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { out, err } = surroundings;
  // What comes after it is the proxy's own, and may be another program's.
  if (args[0] === "proxy") return await proxy(args.slice(1), surroundings);
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return wrongUsage(err, error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (values.help === true) {
    out(HELP);
    return 0;
  }
  if (command === undefined) return wrongUsage(err, "A command is missing.");
  if (command !== "clean" || rest.length > 0) {
    const unknown = command === "clean" ? rest[0] : command;
    return wrongUsage(err, `There is no command ${JSON.stringify(unknown)}.`);
  }
  const { directory, config, json = false } = values;
  if (directory === "") return wrongUsage(err, "--directory is empty.");
  return await clean({ directory, config, json }, surroundings);
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      directory: { type: "string" },
      config: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
}

function wrongUsage(err: (text: string) => void, reason: string): ExitCode {
  err(`${reason}\nSee npx langchain-offload --help.\n`);
  return 2;
}
