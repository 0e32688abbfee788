import type { BenchRow } from "../harness.js";

/** What a user reads first: five lines made of the rows. */
export function inShort(rows: readonly BenchRow[]): readonly string[] {
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
    `**Context**: instead of 20,000 records the model sees ${seen.ours} (deepagents: ${seen.theirs}). To count 4,000 of them by group it sees ${counted.ours} in all (${counted.theirs}).`,
    `**Outputs that stay**: one of 1 KB costs ${small.ours} (${small.theirs}).`,
    `**Outputs that leave**: 1 MB of JSON takes ${one.ours} (${one.theirs}), the first of a process ${first.ours} (${first.theirs}), 100 MB ${hundred.ours} (${hundred.theirs}). Theirs writes the text as it is; ours splits, counts and describes the records.`,
    `**Questions**: a small jq filter takes ${asked}; over 100 MB a search for a word takes ${grep}, a count by group in SQL ${sql}.`,
    `**Goals**: ${met} of ${goals.length} are met. Beside deepagents ours is better in ${count("better")} of ${peers.length} figures, the same within 5 % in ${count("same")}, worse in ${count("worse")}.`,
  ];
}
