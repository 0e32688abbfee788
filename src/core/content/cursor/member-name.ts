/** A name without case, what joins its words, and the prefix by which MCP tells whose it is. */
export function nameOf(key = ""): string {
  return key
    .slice(key.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[_\-.@$:\s]/g, "");
}
