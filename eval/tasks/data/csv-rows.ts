/** Rows of a CSV text with a header, quotes as in RFC 4180: each an object of trimmed texts. */
export function csvRows(text: string): Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = cellsOf(text);
  return rows.map((row) =>
    Object.fromEntries(header.map((name, column) => [name.trim(), (row[column] ?? "").trim()])),
  );
}

function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end = ""] of text.matchAll(
    /(?:\s*"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g,
  )) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}
