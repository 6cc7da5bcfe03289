import type { Edit } from '../mutants/edit.ts';
import type { FaultName } from './faults.ts';

/** An engine with one line of it changed. `faults` lead to the place, and `seed` is one under which it is found. */
export type Mutant = Edit & {
  faults: readonly FaultName[];
  seed: number;
};

/** Faults of the engine that the simulation has to find: without them nobody knows whether it could. */
export const MUTANTS = {
  'no-transactions': {
    what: 'the statements of a step are stored one by one',
    file: 'electron/store/sql.ts',
    line: 'return db.transaction(work).immediate();',
    instead: 'return work();',
    faults: ['the engine dies within a transaction'],
    seed: 1,
  },
  'no-replay': {
    what: "a lost trainer's journal of updates is not replayed",
    file: 'electron/models/local-weights.ts',
    line: 'await this.#loadPoint(true, beside);',
    instead: 'await this.#loadPoint(false, beside);',
    faults: ['dies before its work', 'dies in its work', 'dies before its answer'],
    seed: 4,
  },
  'no-inode-check': {
    what: 'a database that was deleted or replaced is written on',
    file: 'electron/store/opening/ownership.ts',
    line: 'if (found !== opened) {',
    instead: 'if (opened === null) {',
    faults: ['the database is deleted'],
    seed: 2,
  },
  'no-log-check': {
    what: 'a database whose log was deleted is written on',
    file: 'electron/store/opening/ownership.ts',
    line: '} else if (!existsSync(log) && logSeen) {',
    instead: '} else if (opened === null) {',
    faults: ['the log is deleted'],
    seed: 1,
  },
  'no-hash-check': {
    what: 'a run goes on from a checkpoint that is not the stored one',
    file: 'electron/engine/runs/run-weights.ts',
    line: 'if (weightsSha256 !== start.weightsSha256) {',
    instead: 'if (weightsSha256 === null) {',
    faults: ['a checkpoint is exchanged'],
    seed: 7,
  },
  'strays-kept': {
    what: 'what a deletion that was cut off left of checkpoints stays',
    file: 'electron/machine/storage.ts',
    line: 'if (!known.has(name)) rmSync(join(checkpoints, name), { recursive: true, force: true });',
    instead: ';',
    faults: ['the engine dies at a deletion'],
    seed: 1,
  },
  'cut-off-unmarked': {
    what: 'runs of a program that died stay "stepping"',
    file: 'electron/store/open-lab.ts',
    line: 'const interruptedRuns = markCutOffRuns(db, now, sayingsOf(lostSteps));',
    instead: 'const interruptedRuns = [];',
    faults: ['the engine dies'],
    seed: 1,
  },
  'timed-hash': {
    what: 'the hash of a step depends on how long it took',
    file: 'electron/store/steps/repository.ts',
    line: 'const { step } = commit;',
    instead:
      "const { step } = commit; if (Date.parse(step.finishedAt) - Date.parse(step.startedAt) > 5000) step.stepHash = step.stepHash.replace(/^../, '00');",
    faults: ['answers late'],
    seed: 2,
  },
  'raw-error': {
    what: 'a verb fails as no verb should',
    file: 'electron/engine/engine.ts',
    line: 'this.#queue.controlOf(id).pauseAfterStep = true;',
    instead: 'null.pauseAfterStep = true;',
    faults: [],
    seed: 1,
  },
} as const satisfies Record<string, Mutant>;
export type MutantName = keyof typeof MUTANTS;
export const MUTANT_NAMES = Object.keys(MUTANTS) as MutantName[];
