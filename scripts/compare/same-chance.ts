import crypto, { createHash } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/**
 * Makes chance the same in every run, for all modules that are loaded later. What is drawn depends on the seed, the
 * length and how often that length was drawn, so that a draw more of another length moves nothing.
 *
 * @returns Begins anew, with a seed.
 */
export function sameChance(): (seed: string) => void {
  let seed = "";
  let drawn = new Map<number, number>();
  const draw = (length: number): Buffer => {
    const count = (drawn.get(length) ?? 0) + 1;
    drawn.set(length, count);
    const hash = createHash("shake256", { outputLength: length });
    return hash.update(`${seed} ${length} ${count}`).digest();
  };
  crypto.randomBytes = draw as unknown as typeof crypto.randomBytes;
  crypto.randomUUID = () => {
    const hex = draw(17).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
  };
  Math.random = () => draw(4).readUInt32BE() / 2 ** 32;
  syncBuiltinESMExports();
  return (next) => {
    seed = next;
    drawn = new Map();
  };
}
