import { MAX_TIMER_MS } from "../../util/abort.js";

/** How many times its limit a run may last where its processor time is known: others may have the processor. */
export const WALL_FACTOR = 5;
/** Between two looks at the processor time: it is told in steps of 10 ms. */
const MIN_LOOK_MS = 10;

/** The limit that a run has passed, and how far it had come. */
export interface StoppedTime {
  readonly limit: "processor" | "wall";
  /** What it had of the processor, in milliseconds; `undefined` where the system does not tell. */
  readonly processorMs: number | undefined;
  /** Bytes of its input that it had read. */
  readonly readBytes?: number | undefined;
}

/** Bounds one run by its processor time, or by the time on the wall where that is all there is. */
export interface RunClock {
  /** The limit that is passed, if one is. As cheap as a look at the time, but for a few times. */
  passed(): StoppedTime | undefined;
  /** When it is worth looking again, in milliseconds from now. */
  againMs(): number;
}

/**
 * Starts the clock of a run.
 *
 * @param processorMs - What the run has had of the processor.
 * @param waitedMs - How long it has waited for what has a time limit of its own: that is no time of the run.
 */
export function startRunClock(
  limitMs: number,
  processorMs: () => number | undefined,
  waitedMs: () => number = () => 0,
): RunClock {
  const startedAt = performance.now();
  // Before that it cannot have had so much.
  let nextAt = startedAt + limitMs;
  return {
    passed() {
      const now = performance.now();
      if (now < nextAt) return undefined;
      const usedMs = processorMs();
      if (usedMs !== undefined && usedMs >= limitMs)
        return { limit: "processor", processorMs: usedMs };
      const wallMs = usedMs === undefined ? limitMs : limitMs * WALL_FACTOR;
      const endsAt = startedAt + wallMs + waitedMs();
      if (now >= endsAt) return { limit: "wall", processorMs: usedMs };
      const leftMs = limitMs - (usedMs ?? 0);
      nextAt = Math.min(endsAt, now + Math.max(MIN_LOOK_MS, leftMs));
      return undefined;
    },
    againMs: () => Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(nextAt - performance.now()))),
  };
}

/** A clock that somebody looks at. */
export interface Watch {
  end(): void;
  /** Does not keep this process alive. */
  unref(): void;
}

/** Calls `stop` once when a clock's limit is passed, also while the run itself answers nothing. */
export function watchClock(clock: RunClock, stop: (time: StoppedTime) => void): Watch {
  let isRef = true;
  let timer = wait();
  function wait(): NodeJS.Timeout {
    const next = setTimeout(look, clock.againMs());
    return isRef ? next : next.unref();
  }
  function look(): void {
    const time = clock.passed();
    if (time === undefined) timer = wait();
    else stop(time);
  }
  return {
    end: () => clearTimeout(timer),
    unref() {
      isRef = false;
      timer.unref();
    },
  };
}

/** Most time that is held back for the answer's way home, in milliseconds. */
const MAX_MARGIN_MS = 100;

/**
 * When a run gives up by itself, in milliseconds: a little before the time at which it would be ended from outside,
 * so that what it has found is not lost.
 */
export function softTimeoutMs(timeoutMs: number): number {
  return timeoutMs - Math.min(MAX_MARGIN_MS, timeoutMs / 10);
}
