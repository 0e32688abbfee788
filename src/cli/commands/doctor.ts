import { readSettings } from "../../presets/lro/read-settings.js";
import type { Command, Given, Surroundings } from "../command.js";
import { DIRECTORY_OPTIONS } from "../directory.js";
import type { Check, CheckState } from "../doctor/check.js";
import {
  checkOutputDirectory,
  checkSettings,
  settingsInForce,
  type SettingInForce,
} from "../doctor/settings.js";
import { checkNode, checkPeers, checkSql } from "../doctor/versions.js";
import { jsonLine } from "../print/json-line.js";
import { packageJson } from "../package-json.js";
import { printableLine } from "../print/printable.js";
import { type Paint, paintFor } from "../print/style.js";
import { counted } from "../../util/amounts.js";

const COLOURS = { ok: "green", missing: "dim", warning: "yellow", fault: "red" } as const;

/** `doctor`: what is configured, where from, and what is missing. */
export const doctor: Command = {
  help: `Usage: langchain-offload doctor [options]

Says what is configured and where it comes from, which versions there are of
Node.js and of the packages beside this one, and whether SQL is on by itself.
It changes nothing.

\`missing\` is optional, \`warning\` is worked round, \`fault\` does not work.

Options:
  --directory DIR  where the outputs are
  --config FILE    a TOML file with the section [prompt.offload]
  --json           print one JSON object
  -h, --help       print this help

Exit codes: 0 no faults; 2 a fault, or wrong usage.
`,
  options: DIRECTORY_OPTIONS,
  operands: [],
  async run(given, surroundings) {
    const { settings, checks } = examine(given, surroundings);
    const { version } = packageJson();
    const { out } = surroundings;
    const faults = checks.filter(({ state }) => state === "fault").length;
    await out.write(
      given.flag("json")
        ? jsonLine({ version, settings, checks, faults })
        : asLines(version, checks, paintFor(out, surroundings)),
    );
    return faults === 0 ? 0 : 2;
  },
};

function examine(
  given: Given,
  { env }: Surroundings,
): { readonly settings: readonly SettingInForce[]; readonly checks: readonly Check[] } {
  const config = given.text("config");
  const read = readSettings({ env, file: config });
  const settings = settingsInForce(read, { directory: given.text("directory"), config });
  const checks = [
    checkNode(),
    ...checkSettings(settings, read.problems),
    checkOutputDirectory(settings),
    ...checkPeers(),
    checkSql(),
  ];
  return { settings, checks };
}

function asLines(version: string, checks: readonly Check[], paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, state, detail }) => {
    const word = paint(COLOURS[state], state.padEnd("warning".length));
    return `${word}  ${name.padEnd(width)}  ${printableLine(detail)}\n`;
  });
  const count = (state: CheckState, what: string): string =>
    counted(checks.filter((check) => check.state === state).length, what);
  const end = [
    count("fault", "fault"),
    count("warning", "warning"),
    `${count("missing", "optional part")} missing`,
  ].join(", ");
  return `langchain-offload ${version}\n\n${lines.join("")}\n${end}\n`;
}
