import type { Surroundings } from "./command.js";

/** How each package manager runs a program of the project that it is in. */
const RUNNERS: ReadonlyMap<string, string> = new Map([
  ["npm", "npx "],
  ["pnpm", "pnpm exec "],
  ["yarn", "yarn "],
  ["bun", "bunx "],
]);

/** How this program is called again: by its name, behind the package manager that has started it. */
export function programName({ env }: Pick<Surroundings, "env">): string {
  const [manager = ""] = (env["npm_config_user_agent"] ?? "").split("/");
  return `${RUNNERS.get(manager) ?? ""}langchain-offload`;
}
