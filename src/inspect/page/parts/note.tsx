import type { ComponentChildren, VNode } from "preact";

import { shown } from "../format.js";

/** What went wrong, or that something is on its way. */
export function Waiting({ error }: { readonly error?: string | undefined }): VNode {
  if (error !== undefined)
    return (
      <p class="fault" role="alert">
        {shown(error)}
      </p>
    );
  return (
    <p class="quiet" role="status">
      Reading…
    </p>
  );
}

/** A part of a screen under its heading. */
export function Section(props: {
  readonly title: string;
  readonly about?: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <section>
      <h2>{props.title}</h2>
      {props.about && <p class="about">{props.about}</p>}
      {props.children}
    </section>
  );
}
