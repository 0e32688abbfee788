/** 20,000 orders, the same in every process. */
export const orders: readonly { readonly id: number; country: string; cents: number }[] =
  Array.from({ length: 20_000 }, (_, id) => ({
    id,
    country: ["IT", "NO", "PE", "JP"][(id * 7) % 4] ?? "",
    cents: (id * 7919) % 90_000,
  }));
