import { topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask, type TaskOutput } from "../task.js";
import { LANGCHAIN_CHANGES, MIME_CHANGES, PARSER_CHANGES, QS_CHANGES } from "./text-data.js";

interface Release {
  readonly version: string;
  readonly lines: readonly string[];
}

/** The releases of a changelog whose headings have the version. */
function releasesOf(output: TaskOutput, heading: RegExp): Release[] {
  const releases: { version: string; lines: string[] }[] = [];
  for (const line of output.load().split("\n")) {
    const version = heading.exec(line)?.[1];
    if (version === undefined) releases.at(-1)?.lines.push(line);
    else releases.push({ version, lines: [] });
  }
  return releases;
}

const langchain = (): Release[] => releasesOf(LANGCHAIN_CHANGES, /^## (\d[\w.-]*)/);

/** Questions about changelogs. */
export const CHANGELOG_TASKS: readonly PracticeTask[] = [
  {
    id: "changelog-model-strings",
    kind: "changelog",
    outputs: [needing(LANGCHAIN_CHANGES, "summarization middleware")],
    question: "In which version did the summarization middleware begin to allow model strings?",
    form: "text",
    answer: () =>
      langchain().find(({ lines }) =>
        lines.some((line) => line.includes("allow for model strings in summarization middleware")),
      )?.version ?? "",
  },
  {
    id: "changelog-minor-releases",
    kind: "changelog",
    outputs: [needing(LANGCHAIN_CHANGES, "Minor Changes")],
    question: "Which versions have a section Minor Changes?",
    form: "set",
    answer: () =>
      langchain()
        .filter(({ lines }) => lines.some((line) => line.startsWith("### Minor Changes")))
        .map(({ version }) => version),
  },
  {
    id: "changelog-qs-fixes",
    kind: "changelog",
    outputs: [needing(QS_CHANGES, "[Fix]")],
    question:
      "How many entries marked [Fix] do the releases 6.5.0 to 6.5.x have together, and how many releases of 6.5 are there? Answer [entries, releases].",
    form: "list",
    answer: () => {
      const releases = releasesOf(QS_CHANGES, /^##+ \**v?(\d+\.\d+\.\d+)/).filter(({ version }) =>
        version.startsWith("6.5."),
      );
      const fixes = releases.flatMap(({ lines }) => lines.filter((line) => line.includes("[Fix]")));
      return [fixes.length, releases.length];
    },
  },
  {
    id: "changelog-parser-fixes",
    kind: "changelog",
    outputs: [needing(PARSER_CHANGES, "Bug Fix")],
    question:
      "Which release has the most bullets under its headings that contain Bug Fix (also as Bug Fixes, or with a picture), and how many? Answer [version, number].",
    form: "list",
    answer: () => {
      const counts = new Map(
        releasesOf(PARSER_CHANGES, /^## v?(\d[\w.-]*)/).map(({ version, lines }) => [
          version,
          bulletsUnder(lines, /Bug Fix/),
        ]),
      );
      return topEntry(counts);
    },
  },
  {
    id: "changelog-mime-years",
    kind: "changelog",
    outputs: [needing(MIME_CHANGES, "2014")],
    question:
      "In which year were the most releases, and how many? Answer [year as a number, releases].",
    form: "list",
    answer: () => {
      const years = [...MIME_CHANGES.load().matchAll(/^\d+\.\d+\.\d+ \/ (\d{4})/gm)];
      const counts = new Map<string, number>();
      for (const [, year = ""] of years) counts.set(year, (counts.get(year) ?? 0) + 1);
      const top = topKey(counts);
      return [Number(top), counts.get(top) ?? 0];
    },
  },
];

function bulletsUnder(lines: readonly string[], heading: RegExp): number {
  let isInside = false;
  let bullets = 0;
  for (const line of lines) {
    if (/^#+ /.test(line)) isInside = heading.test(line);
    else if (isInside && /^ ?[*-] /.test(line)) bullets += 1;
  }
  return bullets;
}
