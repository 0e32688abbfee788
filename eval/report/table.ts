/** Rows of cells under a head; the first column to the left, the others to the right. */
export interface Table {
  readonly title: string;
  /** What the numbers are. */
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table as Markdown that reads well in a terminal too. */
export function tableText({ title, note, head, rows }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [`## ${title}`, "", note, "", line(head), line(rule), ...rows.map(line)].join("\n");
}
