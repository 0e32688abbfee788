/** Inputs are the same in every run: the sequence of a small generator with a fixed seed. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const CITIES = ["Rome", "Oslo", "Lima", "Cairo", "Quito"];
const WORDS =
  "river stone cloud amber quick silent forest copper window market bright harbour".split(" ");

function words(count: number, random: () => number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
}

function record(id: number): object {
  return { id, city: CITIES[id % CITIES.length], note: `visit ${id * 7919}`, score: id % 97 };
}

/** What `JSON.stringify` makes of an API's answer: one line. */
export function oneLineJson(records: number): string {
  return JSON.stringify(Array.from({ length: records }, (_, id) => record(id)));
}

export function jsonLines(records: number): string {
  return Array.from({ length: records }, (_, id) => `${JSON.stringify(record(id))}\n`).join("");
}

/** Ids of the records that stand whole in these texts. */
export function recordsIn(texts: readonly string[]): Set<number> {
  const found = new Set<number>();
  for (const text of texts) {
    for (const [whole, id] of text.matchAll(/\{"id":(\d+),[^{}]*\}/g)) {
      if (whole === JSON.stringify(record(Number(id)))) found.add(Number(id));
    }
  }
  return found;
}

/** A log; every 250th line is an error with a number of four digits. */
export function log(lines: number): string {
  return Array.from({ length: lines }, (_, line) =>
    line % 250 === 7
      ? `2026-01-01T00:00:00Z ERROR request ${line} timed out after ${1000 + line} ms`
      : `2026-01-01T00:00:00Z INFO request ${line} took ${line % 97} ms`,
  ).join("\n");
}

/** Lines with what `String.replace` would read as a pattern. */
export function dollars(lines: number): string {
  return Array.from({ length: lines }, (_, line) => dollarLine(line)).join("\n");
}

export function dollarLine(line: number): string {
  return `row ${line}: cost $$5 and ref $& and tail $' and head $\` of it all`;
}

/** Words of random letters, as in keys and names. */
export function longLines(lines: number, characters: number): string {
  const random = sequence(7);
  const word = (): string => (random() + 0.1).toString(36).slice(2, 9);
  return Array.from({ length: lines }, () =>
    Array.from({ length: characters / 6 }, word)
      .join(" ")
      .slice(0, characters),
  ).join("\n");
}

const CHINESE =
  "这个 我们 系统 记录 数据 用户 时间 服务 请求 结果 错误 文件 网络 城市 天气 问题 完成 开始 需要 可以".split(
    " ",
  );

export function chinese(characters: number): string {
  const random = sequence(11);
  const line = (): string =>
    Array.from({ length: 8 }, () => CHINESE[Math.floor(random() * CHINESE.length)]).join("，");
  return Array.from({ length: characters / 24 + 1 }, line)
    .join("\n")
    .slice(0, characters);
}

/** Prose of about one token a word. */
export function prose(wordCount: number): string {
  const random = sequence(13);
  return Array.from({ length: wordCount / 12 }, () => `${words(12, random)}.`).join("\n");
}

export function csv(rows: number): string {
  return `id,city,note,score\n${Array.from({ length: rows }, (_, id) => `${id},${CITIES[id % 5]},visit ${id * 7919},${id % 97}\n`).join("")}`;
}
