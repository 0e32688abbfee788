import { grouped } from "../../../util/amounts.js";
import type { MadeOutput } from "../request.js";
import { GuestFault } from "./ends.js";
import type { HostPort, Keeping } from "./host-port.js";

/** What the code saves, by the number that it got when it began. */
export interface Savings {
  begin(name: string, form: string | undefined): number;
  push(key: number, text: string): void;
  /** The id of what was saved. */
  end(key: number): string;
  drop(key: number): void;
  close(): void;
}

const MAX_NAME_CHARACTERS = 200;
/** Each is an open write to a store. */
const MAX_OPEN = 16;

export function createSavings(port: HostPort): Savings {
  const open = new Map<number, Keeping>();
  let keys = 0;

  function at(key: number): Keeping {
    const found = open.get(key);
    if (found === undefined) throw new GuestFault("this is not being saved any more");
    return found;
  }

  return {
    begin(name, form) {
      if (name === "" || name.length > MAX_NAME_CHARACTERS)
        throw new GuestFault(
          `outputs.save(name, records): a name has 1 to ${grouped(MAX_NAME_CHARACTERS)} characters`,
        );
      if (open.size >= MAX_OPEN)
        throw new GuestFault(`${MAX_OPEN} outputs are being saved at once, which is the most`);
      keys += 1;
      open.set(keys, port.keep({ savedAs: name }, formOf(form)));
      return keys;
    },
    push: (key, text) => at(key).push(Buffer.from(text)),
    end(key) {
      const keeping = at(key);
      open.delete(key);
      return keeping.end();
    },
    drop(key) {
      open.get(key)?.drop();
      open.delete(key);
    },
    close() {
      for (const keeping of open.values()) keeping.drop();
    },
  };
}

function formOf(text: string | undefined): MadeOutput["form"] {
  return text === "json" || text === "records" ? text : "text";
}
