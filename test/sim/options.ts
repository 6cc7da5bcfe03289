import { parseArgs } from 'node:util';
import { FAULT_NAMES, type FaultName } from './faults.ts';
import { MUTANT_NAMES, MUTANTS, type MutantName } from './mutants.ts';

export type Options = {
  seed: number;
  /** From one seed to the next. */
  stride: number;
  /** When to begin no further seed; null where one seed is all. */
  until: { minutes: number } | { steps: number } | null;
  /** Kinds of faults that may strike; null where each seed draws its own. */
  faults: readonly FaultName[] | null;
  mutant: MutantName | null;
  /** Where the trace of the last seed goes. */
  trace: string | null;
  /** Processes that share the seeds. */
  workers: number;
};

export const HELP = `npm run sim -- [options]

The engine over a simulated machine: time, disk and children are simulated, and each seed has faults of its own.

  --seed N         the first seed, or the only one (1)
  --minutes M      go on with the next seeds for so long
  --steps N        go on with the next seeds for so many simulated steps
  --workers N      share the seeds among so many processes (1)
  --stride N       take every Nth seed only (1)
  --faults A,B     these kinds of faults only, in every seed; "none" for none:
                   ${FAULT_NAMES.join(', ')}
  --trace FILE     write what happened in the last seed, line by line
  --mutant NAME    with one line of the engine changed, which has to be found; seed and faults that lead there are taken from its table:
${MUTANT_NAMES.map((name) => `                   ${name}: ${MUTANTS[name].what}`).join('\n')}
`;

/** @throws an Error with one sentence about what is wrong. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: text,
      minutes: text,
      steps: text,
      workers: text,
      stride: text,
      faults: text,
      trace: text,
      mutant: text,
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const whole = (name: 'seed' | 'minutes' | 'steps' | 'workers' | 'stride', ifAbsent: number): number => {
    const given = values[name] ?? String(ifAbsent);
    if (!/^\d{1,9}$/.test(given)) throw new Error(`--${name} takes a whole number, not "${given}".`);
    return Number(given);
  };
  if (values.minutes !== undefined && values.steps !== undefined)
    throw new Error('Give --minutes or --steps, not both.');
  if (values.mutant !== undefined && !Object.hasOwn(MUTANTS, values.mutant))
    throw new Error(`--mutant takes ${MUTANT_NAMES.join(', ')}, not "${values.mutant}".`);
  const mutant = (values.mutant as MutantName | undefined) ?? null;
  const workers = whole('workers', 1);
  if (workers === 0) throw new Error('--workers takes at least 1.');
  if (workers > 1 && (values.trace !== undefined || (values.minutes ?? values.steps) === undefined))
    throw new Error('--workers goes with --minutes or --steps, and not with --trace.');
  return {
    seed: whole('seed', mutant === null ? 1 : MUTANTS[mutant].seed),
    stride: Math.max(1, whole('stride', 1)),
    until:
      values.minutes !== undefined
        ? { minutes: whole('minutes', 0) }
        : values.steps !== undefined
          ? { steps: whole('steps', 0) }
          : null,
    faults:
      values.faults !== undefined ? faultsOf(values.faults) : mutant === null ? null : MUTANTS[mutant].faults,
    mutant,
    trace: values.trace ?? null,
    workers,
  };
}

function faultsOf(list: string): FaultName[] {
  const names = list === 'none' ? [] : list.split(',');
  const unknown = names.find((name) => !FAULT_NAMES.includes(name as FaultName));
  if (unknown !== undefined) throw new Error(`--faults knows no "${unknown}"; see --help.`);
  return names as FaultName[];
}
