/** Text of so many tokens for the measure `characters`, four characters a token. */
export function words(tokens: number, mark = "some"): string {
  return `${mark} ${"words that go on ".repeat(tokens)}`.slice(0, tokens * 4);
}

const CITIES = ["Rome", "Oslo", "Lima"];

/** Records with numbers, texts, dates, a field that is sometimes absent and one that is sometimes `null`. */
export function records(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${id}`,
    city: CITIES[id % 3],
    score: (id * 7919) % 1000,
    at: new Date(Date.UTC(2026, 0, 1) + id * 3_600_000).toISOString(),
    ...(id % 5 === 0 && { note: id % 2 === 0 ? null : `a note on ${id}` }),
  }));
}

const csvRow = ({ id, name, city, score }: Record<string, unknown>): string =>
  `${String(id)},"${String(name)}, of ${String(city)}",${String(score)}`;
const LEVELS = ["INFO", "WARN", "ERROR"];

function lines(count: number, make: (line: number) => string): string {
  return Array.from({ length: count }, (_, line) => make(line)).join("\n");
}

/** One output of each kind; all but the first two have some 10,000 characters for each 100. */
export function outputsOf(size: number): Readonly<Record<string, string>> {
  const rows = records(size);
  const nested = rows.map((row) => ({ ...row, owner: { id: row["score"], tags: ["a", "b"] } }));
  return {
    "a JSON array": JSON.stringify(rows),
    "nested records": JSON.stringify({
      total: 900,
      page: { size, next: "c-120" },
      data: { items: nested },
    }),
    "a CSV": `id,who,score\n${records(size * 4)
      .map((row) => csvRow(row))
      .join("\n")}\n`,
    "a log": lines(
      size * 2,
      (line) =>
        `2026-01-02T03:${String(line % 60).padStart(2, "0")}:00Z ${LEVELS[line % 3]} request ${line} took ${line * 7} ms`,
    ),
    "a Markdown text": lines(
      size,
      (part) =>
        `# Part ${part}\n\nWhat is said of **${part}** at [a page](https://example.com/${part}).\n\n- one\n- two\n\n\`\`\`ts\nconst part = ${part};\n\`\`\`\n`,
    ),
    "a text": lines(
      size,
      (line) =>
        `Sentence ${line} of a text without any order, which nobody had asked for. It goes on, as texts do.`,
    ),
  };
}

/** Memories of the MIF schema. */
export const memories: readonly Record<string, unknown>[] = Array.from({ length: 40 }, (_, at) => ({
  id: `m-${at}`,
  title: `Memory ${at}`,
  namespace: at % 2 === 0 ? "_semantic/decisions" : "_episodic/incidents",
  memory_type: at % 2 === 0 ? "semantic" : "episodic",
  tags: ["cache", `t${at % 4}`],
  created: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
  score: at / 40,
  content: `What was decided in meeting ${at}, in some more words than one line would hold.`,
}));

/** The parts of a stream: so many pieces, each made of its number. */
export async function* pieces<Piece>(
  count: number,
  make: (index: number) => Piece,
): AsyncGenerator<Piece> {
  for (let index = 0; index < count; index += 1) yield make(index);
}

/** A text in pieces of lengths without a pattern. */
export async function* cut(text: string): AsyncGenerator<string> {
  for (let at = 0, step = 1; at < text.length; at += step) {
    step = (step * 7919) % 65_537;
    yield text.slice(at, at + step);
  }
}
