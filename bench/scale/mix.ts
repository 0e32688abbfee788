/** What agents' tools answer: most of it is small, a little is very large. */

/** Before what is too small or too large is left out; the tail is as long as the deviation says. */
const MEDIAN_BYTES = 12_000;
const DEVIATION = 1.8;
const LEAST_BYTES = 2_000;
const MOST_BYTES = 20_000_000;

/** Shares of the kinds, which add up to 1. */
const KINDS = [
  { kind: "records", share: 0.6 },
  { kind: "log", share: 0.25 },
  { kind: "table", share: 0.15 },
] as const;

export type Kind = (typeof KINDS)[number]["kind"];

export type Random = () => number;

/** A size in bytes: log-normal, between 2 KB and 20 MB; half have at most 17 KB, the average is 71 KB. */
export function anySize(random: Random): number {
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const bytes = Math.round(MEDIAN_BYTES * Math.exp(DEVIATION * normal));
    if (bytes >= LEAST_BYTES && bytes <= MOST_BYTES) return bytes;
  }
}

export function anyKind(random: Random): Kind {
  let left = random();
  for (const { kind, share } of KINDS) {
    left -= share;
    if (left < 0) return kind;
  }
  return "records";
}

const BLOCK_LINES = 500;
const CITIES = ["Rome", "Oslo", "Lima", "Kyiv", "Cairo"];

const LINES: Readonly<Record<Kind, (id: string, n: number) => string>> = {
  records: (id, n) =>
    JSON.stringify({
      id,
      city: CITIES[n % CITIES.length],
      score: n / 7,
      note: `visit ${n * 7919} of the ${n % 13}th tour`,
    }),
  log: (id, n) =>
    `2026-01-02T03:04:05Z ${n % 50 === 0 ? "ERROR" : "INFO"} ${id} request ${n * 31} took ${n % 977} ms`,
  table: (id, n) => `${id},${CITIES[n % CITIES.length]},${n / 7},visit ${n * 7919}`,
};

const BLOCKS = Object.fromEntries(
  Object.entries(LINES).map(([kind, line]) => [
    kind,
    Array.from({ length: BLOCK_LINES }, (_, n) => line(`r${n}`, n)),
  ]),
);

/** A text of a kind and about a size that equals no other: its first line has the name. Cheap to make. */
export function textOf(kind: Kind, bytes: number, name: string): string {
  const between = kind === "records" ? "," : "\n";
  const lines = BLOCKS[kind] ?? [];
  const block = `${lines.join(between)}${between}`;
  const whole = Math.floor(bytes / block.length);
  const rest: string[] = [LINES[kind](name, 1)];
  for (let length = whole * block.length, n = 0; length < bytes && n < lines.length; n += 1) {
    rest.push(lines[n] ?? "");
    length += (lines[n]?.length ?? 0) + 1;
  }
  const body = `${block.repeat(whole)}${rest.join(between)}`;
  if (kind === "records") return `[${body}]`;
  return kind === "table" ? `id,city,score,note\n${body}` : body;
}

/** The questions that agents ask, as often as they stand here. */
export type Question = "read" | "read a part" | "grep" | "jq";
const QUESTIONS: readonly Question[] = ["read", "read", "read a part", "grep", "grep", "jq"];

export function anyQuestion(random: Random): Question {
  return QUESTIONS[Math.floor(random() * QUESTIONS.length)] ?? "read";
}
