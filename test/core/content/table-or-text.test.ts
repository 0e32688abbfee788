import { describe, expect, it } from "vitest";

import { identifyContent } from "../../../src/core/content/identify.js";

async function layoutOf(text: string): Promise<string> {
  return (await identifyContent(text)).layout;
}

const POEM = `Whose woods these are, I think I know
His house is in the village, though
He will not see me stopping here, and watch
My little horse must think it queer, to stop
Between the woods, and frozen lake
The darkest evening, of the year`;

const FRAMES = Array.from(
  { length: 40 },
  (_, line) => `  File "/srv/app/worker_${line % 3}.py", line ${line + 3}, in handle_${line % 5}`,
).join("\n");

// C17
describe("a text with as many commas or tabs in every line", () => {
  it.each([
    ["a poem", POEM],
    ["stack frames", FRAMES],
    ["Java's frames", "\tat org.app.Main(Main.java:1)\n".repeat(30)],
    ["names of people", "Lovelace, Ada\nHopper, Grace\nClarke, Joan\nNoether, Emmy"],
    ["prose", "In spring, it rains\nIn summer, it is hot\nIn autumn, leaves fall\nIn winter, snow"],
    ["calls", "move(3,4)\nturn(left,90)\nstop(now,1)"],
    ["a Markdown list", "- apples, pears\n- plums, nuts\n- figs, dates"],
    ["lines of a log", "INFO,started,12\nINFO,ready,13\nWARN,slow,99\nINFO,done,1"],
    ["an indented block", "\tone\n\ttwo\n\tthree\n\tfour"],
    ["changed files", "M\tsrc/a.ts\nA\tsrc/b.ts\nM\tsrc/c.ts\nM\tsrc/d.ts"],
    ["refs", "d3adb33f\trefs/heads/a\n0badf00d\trefs/heads/b\nfeedf00d1\trefs/heads/c"],
    ["cities and places without a header", "Paris,48.85,2.35\nOslo,59.91,10.75\nRome,41.9,12.5"],
    ["settled flags without a header", "wifi,true\nsound,false\nlight,true"],
    ["pairs whose first is repeated", "fruit,apple\nfruit,pear\nfruit,plum\nroot,leek"],
    ["a table that goes on as prose", "id,name\n1,a\n2,b\nand so on"],
  ])("is no table without a header: %s", async (_, text) => {
    expect(await layoutOf(text)).toBe("text");
  });

  it.each([
    ["words only", "group,person\n1st,Alan\nred,George\nred,Fred"],
    ["a space after each comma", "city, people\nParis, 2148000\nOslo, 709037\nRome, 2873000"],
    ["years for names", "country,1990,1991,1992\nChad,1,2,3\nPeru,4,5,6"],
    ["an unnamed index", ",0,1\n0,5,6\n1,7,8"],
    ["values that are missing", "id,score\na,1\nb,NA\nc,3\nd,4\ne,5"],
    ["a column that describes columns", "name,type,length\nid,int,8\nname,text,40\nname,text,20"],
    ["dates", "day,what\n2024-01-15,sync\n2024-01-16,review\n2024-01-17,plan"],
    ["a name that is a word for no", "No,Name\n1,Ann\n2,Ben\n3,Cid"],
    ["names with a slash above dates", "Date/Time,Place\n2024-01-15,a\n2024-01-16,b\n2024-01-17,a"],
    ["a unit above numbers", "car,km/h\na,120\nb,99.5\na,101"],
    ["an inch", 'size 5" wide,price\n3,1.5\n4,2.5'],
  ])("is a table under a header: %s", async (_, text) => {
    expect(await layoutOf(text)).toBe("rows");
  });
});
