import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { Failure, type FrameworkName } from '../../electron/contract/index.ts';
import { DEMO_FRAMEWORKS } from '../../electron/evolution/index.ts';
import {
  ARMS,
  armsOf,
  COMPARED,
  LENT,
  REWARDED_SHARES,
  type StudyOptions,
} from '../../electron/experiments/index.ts';

export const USAGE = `The study: arms × share of rewarded prompts × seeds, evolved and asked held-out items. Run again with the same folder, it goes on where it stopped.

  --framework NAME  how the policy evolves itself: ${DEMO_FRAMEWORKS.join(' or ')} (${DEMO_FRAMEWORKS[0]})
  --seeds N       seeds of every arm (5)
  --first-seed N  the first of them (101)
  --steps N       steps of every run (40)
  --every N       steps between evaluations (10)
  --items N       held-out items per suite (100)
  --jobs 1|2      runs at work together (2)
  --only LIST     only these arms of ${ARMS.join(',')} (all but those that came after the
                  published study: practice, worded and the controls constant, told, yoked, shuffled)
  --rewarded-share LIST  only these shares of rewarded prompts: ${REWARDED_SHARES.join(',')}
  --folder PATH   where lab, state and results are kept (lab/study)
  --from PATH     begin a new folder with what another study found, such as test/study/results; its settings must be the same
  --against PATH  say whether what another study found, such as test/study/results, came out again to the bit; exit code 1 if not
  --report        compute table and figure from what is there, run nothing
`;

const isUsual = (arm: (typeof ARMS)[number]): boolean => COMPARED.includes(arm);

/** @throws Failure `usage` (exit code 2) naming the option and what it takes. */
export function readOptions(args: readonly string[], root: string): StudyOptions | 'help' {
  let values: Record<string, string | boolean | undefined>;
  try {
    const text = { type: 'string' } as const;
    ({ values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        framework: text,
        seeds: text,
        'first-seed': text,
        steps: text,
        every: text,
        items: text,
        jobs: text,
        only: text,
        'rewarded-share': text,
        folder: text,
        from: text,
        against: text,
        report: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }));
  } catch (cause) {
    throw new Failure('usage', `${(cause as Error).message.split('. ')[0]}; --help lists the options.`, 2, {
      cause,
    });
  }
  if (values['help'] === true) return 'help';
  const whole = (name: string, otherwise: number, most = Number.MAX_SAFE_INTEGER): number => {
    const text = values[name];
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isSafeInteger(value) || value < 1 || value > most)
      throw new Failure(
        'usage',
        `--${name} takes a whole number from 1${most < 1e9 ? ` to ${most}` : ''}, not "${text}".`,
        2,
      );
    return value;
  };
  const list = <T extends string | number>(
    name: string,
    known: readonly T[],
    otherwise = known,
  ): readonly T[] => {
    if (values[name] === undefined) return otherwise;
    const wanted = String(values[name])
      .split(',')
      .map((part) => part.trim());
    const stranger = wanted.find((part) => !known.some((one) => String(one) === part));
    if (stranger !== undefined)
      throw new Failure('usage', `--${name} knows ${known.join(', ')}, not "${stranger}".`, 2);
    return known.filter((one) => wanted.includes(String(one)));
  };
  const place = (name: string): string | null =>
    typeof values[name] === 'string' ? resolve(values[name]) : null;
  const [framework] = list('framework', DEMO_FRAMEWORKS, [DEMO_FRAMEWORKS[0]]) as [FrameworkName];
  const known = armsOf(framework);
  const [seeds, arms] = [whole('seeds', 5), list('only', known, known.filter(isUsual))];
  for (const arm of arms) {
    if (LENT[arm] !== undefined && !arms.includes('supervised'))
      throw new Failure(
        'usage',
        `The arm ${arm} is made of what supervised runs brought; add supervised to --only.`,
        2,
      );
    if (LENT[arm] === 'next' && seeds < 2)
      throw new Failure(
        'usage',
        `The arm ${arm} takes the reviews of another seed; --seeds takes 2 or more with it.`,
        2,
      );
  }
  return {
    framework,
    seeds,
    firstSeed: whole('first-seed', 101),
    steps: whole('steps', 40),
    every: whole('every', 10),
    items: whole('items', 100, 1000),
    jobs: whole('jobs', 2, 2),
    arms,
    rewardedShares: list('rewarded-share', REWARDED_SHARES),
    folder: place('folder') ?? resolve(`${root}/lab/study`),
    from: place('from'),
    against: place('against'),
    reportOnly: values['report'] === true,
  };
}
