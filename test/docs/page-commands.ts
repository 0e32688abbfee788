import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { MAIN } from "../cli/run-command.js";
import { ROOT } from "./page-code.js";

const ISSUES_SERVER = join(import.meta.dirname, "issues-server.ts");

/** Commands that pages name and that are no commands of this machine. */
export function writeCommands(parent: string): string {
  const folder = join(parent, "bin");
  mkdirSync(folder, { recursive: true });
  const server = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const commands = {
    npx: `shift 2; exec '${process.execPath}' '${MAIN}' "$@"`,
    "issues-mcp-server": `exec '${process.execPath}' --import tsx '${ISSUES_SERVER}'`,
    "my-mcp-server": `exec '${process.execPath}' '${server}'`,
  };
  for (const [name, command] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
