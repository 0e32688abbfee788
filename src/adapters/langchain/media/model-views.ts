import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { MediaKind } from "../../../core/types/media.js";
import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";

/** Sessions whose model is remembered; the one not used for longest goes first. */
const MAX_SESSIONS = 1_000;

const known = new WeakMap<Offloader["store"], Map<string, readonly MediaKind[]>>();

/** Notes what the model that a session calls takes, for the call of a tool that shows it something. */
export function noteViews(
  { store, options }: Pick<Offloader, "store" | "options">,
  sessionId: string | undefined,
  model: unknown,
): void {
  if (options.media?.views !== "auto" || sessionId === undefined) return;
  const taken = viewsOf(model);
  const sessions = known.get(store) ?? new Map<string, readonly MediaKind[]>();
  known.set(store, sessions);
  // What the model before took says nothing of this one.
  if (taken === undefined) sessions.delete(sessionId);
  else keepLatest(sessions, sessionId, taken, MAX_SESSIONS);
}

/** What the model of a session takes; `undefined` where none has said it in this process. */
export function notedViews(
  { store }: Pick<Offloader, "store">,
  sessionId: string | undefined,
): readonly MediaKind[] | undefined {
  return sessionId === undefined ? undefined : known.get(store)?.get(sessionId);
}

/** What the profile of a model says that it takes; `undefined` without one. */
function viewsOf(model: unknown): readonly MediaKind[] | undefined {
  const profile = fieldOf(model, "profile");
  if (typeof profile !== "object" || profile === null || Object.keys(profile).length === 0) {
    return undefined;
  }
  const takes = (name: string): boolean => fieldOf(profile, name) === true;
  return [
    ...(takes("imageInputs") ? ["image" as const] : []),
    ...(takes("pdfInputs") ? ["pdf" as const] : []),
    ...(takes("audioInputs") ? ["audio" as const] : []),
    ...(takes("videoInputs") ? ["video" as const] : []),
  ];
}
