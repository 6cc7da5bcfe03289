import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exporting } from '../engine/application.ts';
import type { Fault, Outcome, Stage } from './fault.ts';
import { stopped } from './supervisor-faults.ts';

const goesOn: Outcome = { kind: 'goesOn' };
const stops = (sentence: RegExp): Outcome => ({ kind: 'stops', sentence });

/** A fault of faulty_trainer.py: in the first trainer, or in every one. */
const faulty = (
  name: string,
  behaviour: string,
  outcome: Outcome,
  rest: Partial<Fault> & { every?: boolean } = {},
): Fault => ({
  name: `trainer ${name}`,
  how: `the real trainer with one function replaced: ${behaviour}`,
  outcome,
  arrange: (stage) => {
    if (rest.every === true) stage.application.beforeEvery('trainer', stage.trainer(behaviour));
    else stage.application.beforeNext('trainer', stage.trainer(behaviour));
    return {};
  },
  ...rest,
});

/** Writes of the trainer fail as on a full or broken disk. */
const disk = (
  name: string,
  match: string,
  error: 'ENOSPC' | 'EIO' | 'EROFS' | 'EDQUOT',
  sentence: RegExp,
  rest: Partial<Fault> & { kinds?: string; at?: number } = {},
): Fault => ({
  name: `trainer's disk: ${name}`,
  how: `${error} from the disk shim for ${match}`,
  outcome: stops(sentence),
  arrange: ({ application, shim }) => {
    application.beforeEvery(
      'trainer',
      exporting(shim({ match: [match], kinds: rest.kinds, fail: { at: rest.at ?? 1, count: 0, error } })),
    );
    return {};
  },
  ...rest,
});

/** The journal as a crash or a bad disk left it. */
const journal = (
  name: string,
  how: string,
  line: string,
  outcome: Outcome,
  rest: Partial<Fault> = {},
): Fault => ({
  name: `journal ${name}`,
  how,
  from: 'half',
  outcome,
  arrange: ({ run }: Stage) => {
    writeFileSync(join(run(), 'journal.jsonl'), line, { flag: 'a' });
    return {};
  },
  ...rest,
});

export const TRAINER_FAULTS: Fault[] = [
  faulty(
    'runs out of device memory',
    'oom-in-update',
    stops(/ran out of memory in the update|Out of memory/),
    { every: true, full: true },
  ),
  faulty('runs out of memory in Python', 'memory-error', stops(/Out of memory/), { every: true }),
  faulty('runs out of memory in PyTorch on the CPU', 'cpu-allocation', stops(/Out of memory/), {
    every: true,
  }),
  faulty('is killed for memory', 'killed-for-memory', goesOn),
  faulty('crashes in native code', 'crashes', goesOn),
  {
    name: 'trainer may not have the memory it needs',
    how: 'ulimit -v of 700 MB',
    outcome: stops(/Out of memory|[Tt]rainer/),
    arrange: ({ application }) => {
      application.beforeEvery('trainer', 'ulimit -v 700000');
      return {};
    },
  },
  faulty('has a loss that is not a number', 'not-finite', stops(/not finite/), { every: true, full: true }),
  faulty('has gradients that are infinite', 'gradients-explode', stops(/not finite/), { every: true }),
  faulty('meets a surprise', 'surprise', stops(/update failed: ZeroDivisionError/), { every: true }),
  faulty('sends a line that is no JSON', 'garbage-line', goesOn, { full: true }),
  faulty('sends half a line and ends well', 'half-line', goesOn),
  faulty('ends well in the middle of a save', 'exits', goesOn),
  faulty('closes its output', 'closes-its-output', goesOn),
  faulty(
    'answers without a field',
    'loses-a-field',
    stops(/The trainer's answer to save has an unexpected form/),
    { every: true },
  ),
  faulty('answers twice', 'answers-twice', goesOn),
  faulty('prints into its output', 'prints', goesOn),
  faulty('never starts', 'never-starts', stops(/trainer/), { every: true }),
  {
    name: 'trainer is stopped',
    how: 'SIGSTOP while it generates',
    outcome: goesOn,
    arrange: () => ({ during: stopped('trainer') }),
  },
  disk(
    'no room for a checkpoint',
    '/checkpoints/',
    'ENOSPC',
    /The disk is full: .*checkpoints.* could not be written/,
    { full: true },
  ),
  disk(
    'no room in the middle of a checkpoint',
    '/checkpoints/step-00001',
    'ENOSPC',
    /The disk is full: .*checkpoints.* could not be written/,
    { kinds: 'W', at: 3 },
  ),
  disk(
    'quota used up at a checkpoint',
    '/checkpoints/step-00001',
    'EDQUOT',
    /The disk is full: .*checkpoints.* could not be written/,
  ),
  disk(
    'a checkpoint cannot be written',
    '/checkpoints/step-00001',
    'EIO',
    /checkpoints.* could not be written: Input\/output error/,
  ),
  disk(
    'a checkpoint cannot be synced',
    '/checkpoints/step-00001',
    'EIO',
    /checkpoints.* could not be written: Input\/output error/,
    { kinds: 'S' },
  ),
  disk(
    'a checkpoint cannot get its name',
    '/checkpoints/step-00001',
    'EROFS',
    /checkpoints.* could not be written: Read-only file system/,
    { kinds: 'R' },
  ),
  disk('no room for the journal', 'journal.jsonl', 'ENOSPC', /The disk is full: .*journal\.jsonl/),
  disk('no room for rollouts', '/spool/', 'ENOSPC', /The disk is full: .*spool/),
  journal('ends in half a line', 'half a line appended', '{"kind": "update", "opId": "s2/upd', goesOn),
  journal('holds a line that is none', 'a line of garbage appended', 'garbage\n', {
    kind: 'refused',
    sentence: /The journal .* is damaged at line \d+\. Move it away/,
  }),
  {
    name: 'rollouts left behind are garbage',
    how: 'a file of noise in the spool',
    from: 'half',
    outcome: goesOn,
    arrange: ({ run }) => {
      writeFileSync(join(run(), 'spool', 's2-trained.safetensors'), Buffer.alloc(4096, 0x5a));
      return {};
    },
  },
];
