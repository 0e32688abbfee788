import { randomOf } from "./random.js";
import type { JsonRecord } from "./record.js";

const REGIONS = ["north", "south", "east", "west"];
const STATUSES = ["open", "paid", "shipped", "returned"];
const TIERS = ["basic", "plus", "business"];
const PRODUCTS = ["lamp", "desk", "chair", "shelf", "rug", "clock", "mirror", "stool"];
const WISHES = ["leave", "ring", "call", "wait", "knock", "write", "pack", "wrap", "stack", "sign"];
const PLACES =
  "gate hall shed porch garage office kitchen cellar lobby yard attic stairs ramp dock".split(" ");
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const PEOPLE = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jo Kim Lea".split(" ");
const START_MS = Date.UTC(2025, 0, 1);

/** Seeded orders with a nested customer, money with cents and a note; oldest first. */
export function ordersOf(count: number, seed: number): JsonRecord[] {
  const { below, hex, pick } = randomOf(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `ord-${hex(12)}`,
    placed: new Date(START_MS + index * 600_000 + below(500_000)).toISOString(),
    region: pick(REGIONS),
    status: pick(STATUSES),
    customer: { name: `${pick(PEOPLE)} ${hex(4)}`, tier: pick(TIERS) },
    product: pick(PRODUCTS),
    quantity: 1 + below(9),
    amount: (500 + below(99_500)) / 100,
    note: `Please ${pick(WISHES)} at the ${pick(PLACES)} before ${pick(DAYS)}, ask for ${pick(PEOPLE)}.`,
  }));
}
