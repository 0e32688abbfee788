import type { VNode } from "preact";

import type { BodyPage } from "../../wire.js";
import { grouped, shown } from "../format.js";

/** Lines as they are stored. */
export function TextView({
  page,
  number,
}: {
  readonly page: BodyPage;
  readonly number: number;
}): VNode {
  let line = number;
  return (
    <div class="text" tabIndex={0} role="region" aria-label="Text">
      {page.lines.map(({ at, text, cut, continued }, index) => {
        if (index > 0 && !continued) line += 1;
        return (
          <div class="code-line" key={at}>
            <span class="line-number">{continued ? "…" : grouped(line)}</span>
            <span class={cut ? "part" : ""}>{shown(text)}</span>
          </div>
        );
      })}
    </div>
  );
}
