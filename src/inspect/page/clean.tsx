import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import type { About, Cleaned } from "../wire.js";
import { ask, sentenceOf } from "./api.js";
import { bytes, counted } from "./format.js";

/** Removes what has expired, after a question. */
export function Clean({ about }: { readonly about: About }): VNode | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const [done, setDone] = useState<string>();
  const { outputs, sizeBytes } = about.expired;
  if (outputs === 0 && done === undefined) return null;
  const what = `${counted(outputs, "expired output")}, ${bytes(sizeBytes)}`;
  const remove = (): void => {
    ask<Cleaned>("/api/clean", { expired: outputs })
      .then((removed) =>
        setDone(`Removed ${counted(removed.outputs, "output")}, ${bytes(removed.sizeBytes)}.`),
      )
      .catch((error: unknown) => setDone(sentenceOf(error)));
  };
  return (
    <>
      <button type="button" onClick={() => (setDone(undefined), dialog.current?.showModal())}>
        {outputs === 0 ? "Cleaned" : `Clean: ${what}`}
      </button>
      <dialog ref={dialog} aria-label="Clean">
        <p>
          {done ?? `Remove ${what}? No agent can read them any more. What has not expired stays.`}
        </p>
        <p class="buttons">
          {done === undefined && outputs > 0 && (
            <button type="button" class="strong" onClick={remove}>
              Remove
            </button>
          )}
          <button type="button" onClick={() => (dialog.current?.close(), setDone(undefined))}>
            {done === undefined ? "Cancel" : "Close"}
          </button>
        </p>
      </dialog>
    </>
  );
}
