import type { BenchRow } from "../harness.js";
import { markdownTable } from "./results.js";

/** What a user reads first: the main figures. */
export function inShort(rows: readonly BenchRow[]): string {
  const peers = rows.filter(({ group }) => group === "peers");
  const row = (group: string, name: string): BenchRow => {
    const found = rows.find((one) => one.group === group && one.name === name);
    if (found === undefined) throw new Error(`The page lacks its row "${name}" in ${group}.`);
    return found;
  };
  const peer = (name: string): { readonly ours: string; readonly theirs: string } => {
    const { ours, other } = row("peers", name);
    return { ours, theirs: other.replace(", deepagents", "") };
  };
  const count = (comparison: BenchRow["comparison"]): number =>
    peers.filter((one) => one.comparison === comparison).length;

  const seen = peer("the model sees instead of 20,000 records in one line of JSON");
  const counted = peer("a count by group over 4,000 records: all that the model must see");
  const small = peer("time that an output of 1 KB spends in the middleware");
  const one = peer("time to offload an output of 1 MB of JSON");
  const hundred = peer("time to offload an output of 100 MB of JSON");
  const first = peer("time to offload an output of 1 MB of JSON, the first of a process");
  const asked = row("drill-in", "jq, small query, warm").ours;
  const grep = row("drill-in", "literal grep, 100 MB").ours;
  const sql = row("sql", "group by, 100 MB").ours;
  const goals = rows.filter(({ met }) => met !== null);
  const met = goals.filter((goal) => goal.met).length;
  return [
    markdownTable(
      ["", "langchain-offload", "deepagents"],
      [
        ["tokens that the model sees instead of 20,000 records", seen.ours, seen.theirs],
        ["all tokens that it sees to count 4,000 records by group", counted.ours, counted.theirs],
        ["time for an output of 1 KB, which stays inline", small.ours, small.theirs],
        ["time to offload 1 MB of JSON", one.ours, one.theirs],
        ["the same for the first output of a process", first.ours, first.theirs],
        ["time to offload 100 MB of JSON", hundred.ours, hundred.theirs],
      ],
    ),
    `A small jq filter takes ${asked}. In 100 MB of data, a search for a word takes ${grep} and a count by group in SQL takes ${sql}.`,
    `${met} of ${goals.length} goals are met. Compared with deepagents, ${count("better")} of ${peers.length} figures are better, ${count("same")} are the same within 5 %, and ${count("worse")} are worse.`,
  ].join("\n\n");
}
