/** The records of a table with a header: objects of texts. Cells in quotes are read as RFC 4180 has it. */
export function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [first = ""] = text.split(/\r?\n/, 1);
  const delimiter =
    [",", "\t", ";", "|"].toSorted(
      (one, other) => first.split(other).length - first.split(one).length,
    )[0] ?? ",";
  const [header = [], ...rows] = cellsOf(text, delimiter);
  const names = namesOf(header);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

/** Columns without a name are called by their number. */
function namesOf(header: readonly string[]): readonly string[] {
  return header.map((cell, at) => {
    if (cell !== "") return cell;
    let name = `column_${at + 1}`;
    while (header.includes(name)) name += "_";
    return name;
  });
}

function cellsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"(?=\\${delimiter}|\\r?\\n|$)|([^\\r\\n\\${delimiter}]*))(\\${delimiter}|\\r?\\n|$)`,
    "y",
  );
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null) break;
    const [, quoted, bare = "", end] = found;
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === delimiter && cell.lastIndex < text.length) continue;
    if (end === delimiter) row.push("");
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}
