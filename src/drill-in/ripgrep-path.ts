/**
 * The ripgrep of the optional package `@vscode/ripgrep`, or `undefined` when it is not installed or has
 * none for this platform. `PATH` is never searched.
 */
export async function ripgrepPath(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    return undefined;
  }
}
