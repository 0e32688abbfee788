/** Runs every example in a process of its own; one that fails, fails the whole. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const failed: string[] = [];
const names = readdirSync("examples").filter((name) => existsSync(`examples/${name}/main.ts`));
for (const name of names) {
  const { MODEL: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", `examples/${name}/main.ts`],
    {
      encoding: "utf8",
      env,
      timeout: 120_000,
    },
  );
  console.log(`${status === 0 ? "ok  " : "FAIL"} examples/${name}`);
  if (status === 0) continue;
  failed.push(name);
  console.log(stdout, stderr);
}
if (names.length === 0 || failed.length > 0) process.exit(1);
