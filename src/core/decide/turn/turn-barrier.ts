import { onceAborted } from "../../../util/abort.js";
import { keepLatest } from "../../../util/keep-latest.js";
import type { TurnOutput, BudgetSlot } from "../../types/output.js";
import { limitsInTurn, partOfBudget } from "./turn-budget.js";

interface TurnCall {
  readonly callId: string;
  readonly position: number;
  readonly calls: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Turns {
  /**
   * `undefined` if there is nothing to wait for.
   *
   * @param key - Identifies the turn: a text, since calls that are resumed have copies of its message, or an object.
   */
  join(key: unknown, call: TurnCall): BudgetSlot | undefined;
  close(): void;
}

/**
 * In milliseconds, when all others have ended: missing calls may have been answered elsewhere, or before the run was
 * resumed.
 */
const QUIET_MS = 100;
const MAX_TURNS = 1_000;

interface Asker {
  readonly position: number;
  readonly settle: (limit: number | undefined) => void;
}

interface Member {
  readonly position: number;
  readonly signal: AbortSignal | undefined;
  readonly staying: (() => Promise<number>)[];
  asked?: (TurnOutput & Asker) | undefined;
  stop?: (() => void) | undefined;
  hasTold: boolean;
  isOver: boolean;
}

interface Barrier {
  readonly key: unknown;
  readonly calls: number;
  readonly members: Map<string, Member>;
  isDecided: boolean;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Outputs wait until each call has ended or waits too. Then k of N calls share k/N of the budget. Calls that threw,
 * come later or stop waiting keep their share.
 */
export function createTurns(): Turns {
  const barriers = new Map<unknown, Barrier>();
  const waitedFor = new Set<Barrier>();
  let isClosed = false;

  function look(barrier: Barrier) {
    clearTimeout(barrier.timer);
    const members = [...barrier.members.values()];
    if (barrier.isDecided) {
      if (members.every(({ isOver }) => isOver)) barriers.delete(barrier.key);
      return;
    }
    if (!members.every(({ isOver, asked }) => isOver || asked)) return;
    if (members.length >= barrier.calls) decideOn(barrier);
    else if (waitedFor.has(barrier)) barrier.timer = setTimeout(decideOn, QUIET_MS, barrier);
  }

  function decideOn(barrier: Barrier) {
    barrier.isDecided = true;
    clearTimeout(barrier.timer);
    waitedFor.delete(barrier);
    for (const { signal, stop } of barrier.members.values())
      if (stop !== undefined) signal?.removeEventListener("abort", stop);
    void decideTogether(barrier);
    look(barrier);
  }

  function wait(barrier: Barrier, member: Member) {
    waitedFor.add(barrier);
    member.stop = () => {
      leave(member);
      look(barrier);
    };
    onceAborted(member.signal, member.stop);
    look(barrier);
  }

  function slotOf(barrier: Barrier, member: Member): BudgetSlot {
    const isOpen = () => !barrier.isDecided && !isClosed && !member.isOver;
    return {
      stays(count) {
        if (isOpen()) member.staying.push(count);
      },
      settle(output) {
        return new Promise((settle) => {
          if (!isOpen() || member.asked || member.signal?.aborted) return settle(undefined);
          member.asked = { ...output, position: member.position, settle };
          wait(barrier, member);
        });
      },
      end(hasTold) {
        if (member.isOver) return;
        member.isOver = true;
        member.hasTold = hasTold;
        look(barrier);
      },
    };
  }

  return {
    join(key, { callId, position, calls, signal }) {
      if (isClosed || calls < 2) return undefined;
      const barrier: Barrier = barriers.get(key) ?? {
        key,
        calls,
        members: new Map(),
        isDecided: false,
      };
      if (barrier.isDecided || barrier.members.get(callId)?.isOver === false) return undefined;
      const member: Member = { position, signal, staying: [], hasTold: false, isOver: false };
      // A turn that a person interrupts may never end.
      keepLatest(barriers, key, barrier, MAX_TURNS);
      barrier.members.set(callId, member);
      clearTimeout(barrier.timer);
      return slotOf(barrier, member);
    },
    close() {
      isClosed = true;
      for (const barrier of waitedFor) decideOn(barrier);
    },
  };
}

function leave(member: Member): void {
  if (member.asked === undefined) return;
  member.isOver = true;
  member.asked.settle(undefined);
  member.asked = undefined;
}

/** Never rejects: if a count fails, each gets its equal share. */
async function decideTogether({ calls, members }: Barrier): Promise<void> {
  const present = [...members.values()].filter(({ asked, hasTold }) => asked || hasTold);
  const asking = present.flatMap(({ asked }) => asked ?? []);
  try {
    const counted = asking.length === 0 ? [] : present.flatMap(({ staying }) => staying);
    const staying = await Promise.all(counted.map((count) => count()));
    const budgetTokens = Math.min(...asking.map((one) => one.budgetTokens));
    const roomTokens = staying.reduce(
      (room, tokens) => room - tokens,
      partOfBudget(budgetTokens, present.length, calls),
    );
    const limits = limitsInTurn(asking, roomTokens);
    for (const [index, { settle }] of asking.entries()) settle(limits[index]);
  } catch {
    for (const { settle } of asking) settle(undefined);
  }
}
