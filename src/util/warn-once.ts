const MAX_WARNINGS = 100;
const warned = new Set<string>();

export function warnOnce(message: string): void {
  if (warned.has(message) || warned.size >= MAX_WARNINGS) return;
  warned.add(message);
  process.emitWarning(message, "OffloadConfigWarning");
}
