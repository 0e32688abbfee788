import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { rowsServerOverHttp } from "./rows-server.js";
import { rowsOf } from "./readers.js";
import { FORMS, type Line, NEVER } from "./rig.js";
import { newDirectory } from "../after-file.js";

const TABLE = join(import.meta.dirname, "access-matrix.txt");
const place = { folder: newDirectory() };
let lines: readonly Line[];
let http: Server;

/** The rows of a process of its own. */
async function elsewhere(owner: object): Promise<Line[]> {
  const readers = pathToFileURL(join(import.meta.dirname, "readers.ts")).href;
  const script = `
    import { rowsElsewhere } from ${JSON.stringify(readers)};
    const lines = await rowsElsewhere(...${JSON.stringify([place, owner])});
    console.log("lines:" + JSON.stringify(lines));
    process.exit(0);`;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  return JSON.parse(stdout.slice(stdout.indexOf("lines:") + 6)) as Line[];
}

beforeAll(async () => {
  const server = await rowsServerOverHttp();
  ({ http } = server);
  lines = await rowsOf(place, server.url, elsewhere);
}, 900_000);
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

/** The same cells below each other. */
function tableOf(rows: readonly Line[]): string {
  const columns = [...FORMS, ...NEVER, "lists"];
  const cells = rows.map((row) => [
    row.way,
    row.reader,
    ...columns.map((one) => row.cells[one] ?? ""),
  ]);
  const head = ["way in", "reader", ...columns];
  const table = [head, ...cells];
  const widths = head.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const padded = table.map((row) => row.map((one, at) => one.padEnd(widths[at] ?? 0)).join(" | "));
  return `${padded.map((line) => line.trimEnd()).join("\n")}\n`;
}

const NOTES = `Who reads which output, by which name. Written by UPDATE_ACCESS=1 npx vitest run test/access

whole: the answer has the output. unknown: it is the answer to an id that never was. refused: another answer
without the output. Behind a semicolon: tools that answer otherwise. lists: whether what is listed has the output.
`;

describe("the access matrix", () => {
  it("is as it is written down", () => {
    const isAccess = (line: Line): boolean => line.isAccess === true;
    const sessions = tableOf(lines.filter((line) => !isAccess(line)));
    const access = tableOf(lines.filter(isAccess));
    const table = `${NOTES}\nSESSIONS\n\n${sessions}\nACCESS, by the rule of the application\n\n${access}`;
    if (process.env["UPDATE_ACCESS"] === "1") writeFileSync(TABLE, table);
    expect(table).toBe(readFileSync(TABLE, "utf8"));
  });

  it("has forged and foreign references answered as unknown ones are, everywhere", () => {
    expect(lines.filter(({ told }) => told.length > 0)).toEqual([]);
  });

  it("has no text and no name of a session that gives nothing, nor of the owner before a stranger", () => {
    expect(lines.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  });
});
