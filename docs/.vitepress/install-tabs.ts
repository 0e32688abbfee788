import type { MarkdownRenderer } from "vitepress";

const INSTALL = /^npm install (.+)$/;
const MANAGERS = [
  ["npm", "npm install"],
  ["pnpm", "pnpm add"],
  ["yarn", "yarn add"],
  ["bun", "bun add"],
] as const;

/** The same packages by each package manager; `undefined` for what is more than one line that installs packages. */
function installCommands(code: string): readonly (readonly [string, string])[] | undefined {
  const packages = INSTALL.exec(code.trim())?.[1];
  if (packages === undefined || /(?:^| )-/.test(packages)) return undefined;
  return MANAGERS.map(([name, command]) => [name, `${command} ${packages}`]);
}

/** Pages write `npm install …` as every reader knows it; the site shows it in a tab for each package manager. */
export function installTabs(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("install-tabs", (state) => {
    state.tokens = state.tokens.flatMap((token) => {
      const commands = token.type === "fence" ? installCommands(token.content) : undefined;
      if (commands === undefined) return [token];
      const open = new state.Token("container_code-group_open", "div", 1);
      open.info = "code-group";
      const close = new state.Token("container_code-group_close", "div", -1);
      const fences = commands.map(([name, command]) => {
        const fence = new state.Token("fence", "code", 0);
        Object.assign(fence, { info: `sh [${name}]`, content: `${command}\n`, markup: "```" });
        return fence;
      });
      return [open, ...fences, close];
    });
  });
}
