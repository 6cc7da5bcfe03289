import { uniform } from '../../../electron/core/index.ts';
import type { Door } from '../engine/launch.ts';

export const TARGETS = ['engine', 'trainer', 'supervisor', 'runner'] as const;
export type Target = (typeof TARGETS)[number];

/**
 * When a kill falls. `time`: so many seconds from now, uniform over the length of an undisturbed run. `event`: when the n-th
 * progress event from now comes, and a random part of the usual gap after it. `operation`: right before the victim's
 * n-th change of a file of the lab, exactly.
 */
export type Moment =
  | { clock: 'time'; seconds: number }
  | { clock: 'event'; event: number; gapShare: number }
  | { clock: 'operation'; operation: number };

export type Strike = { target: Target; moment: Moment };

/** What an undisturbed run of a variant was like; kills are spread over it. */
export type Measure = { seconds: number; events: number; operations: Record<'engine' | 'trainer', number> };

/** Kills after the first come sooner, so that a run, whose start is most of its cost, meets several. */
const LATER_SHARE = 0.35;

/** One engine's life begins with `fresh` true; later strikes of the same life cannot be counted in operations. */
export type Occasion = {
  seed: number;
  round: number;
  move: number;
  door: Door;
  fresh: boolean;
  first: boolean;
  avoid: readonly Target[];
};

/** Draws the next kill. The same arguments give the same kill. */
export function drawStrike(
  { seed, round, move, door, fresh, first, avoid }: Occasion,
  { seconds, events, operations }: Measure,
): Strike {
  const draw = (what: string): number => uniform(seed, what, round, move);
  const choose = <T>(from: readonly T[], what: string): T => from[Math.floor(draw(what) * from.length)] as T;
  const target = choose(
    TARGETS.filter((one) => !avoid.includes(one)),
    'target',
  );
  // The command line tells no events and starts the real interpreter, so only its own operations can be counted.
  const counted = fresh && (target === 'engine' || (target === 'trainer' && door === 'engine'));
  const share = first ? 1 : LATER_SHARE;
  // Events twice: unlike seconds they do not depend on how busy the machine is.
  const clock = choose(
    [
      ...(counted ? ['operation' as const] : []),
      ...(door === 'engine' ? ['event' as const, 'event' as const] : []),
      'time' as const,
    ],
    'clock',
  );
  switch (clock) {
    case 'time':
      return { target, moment: { clock, seconds: share * seconds * draw('moment') } };
    case 'event':
      return {
        target,
        moment: { clock, event: 1 + Math.floor(share * events * draw('moment')), gapShare: draw('gap') },
      };
    case 'operation':
      return {
        target,
        moment: {
          clock,
          operation: 1 + Math.floor(operations[target as 'engine' | 'trainer'] * draw('moment')),
        },
      };
  }
}
