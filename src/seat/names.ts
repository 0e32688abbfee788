/** The forms of a descriptor that can be asked for; `auto` follows the data. */
export const SEAT_FORMS = ["auto", "full", "generic", "bare"] as const;

/** Every published design, by the name that it is asked for. */
export const SEAT_PRESETS = ["lro", "atlatl", "mcpagent", "vectara", "meta-cc"] as const;
