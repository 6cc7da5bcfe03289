import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childOf, type CHILDREN, type Life } from '../engine/launch.ts';
import type { Fault, Outcome, Stage } from './fault.ts';

const goesOn: Outcome = { kind: 'goesOn' };

/** An answer or a process that goes wrong in a way supervisor-between.ts knows. */
const spoilt = (name: string, behaviour: string, outcome: Outcome, rest: Partial<Fault> = {}): Fault => ({
  name: `supervisor ${name}`,
  how: `a program between engine and worker: ${behaviour}`,
  outcome,
  arrange: (stage) => ({ node: stage.supervisor(behaviour) }),
  ...rest,
});

/** A fault in the supervisor's file. */
const inFile = (
  name: string,
  how: string,
  sentence: RegExp,
  spoil: (file: string) => void,
  rest: Partial<Fault> = {},
): Fault => ({
  name: `supervisor's file ${name}`,
  how,
  outcome: { kind: 'stops', sentence },
  arrange: ({ application }: Stage) => {
    const folder = join(application.ownModels(), 'supervisor');
    spoil(join(folder, readdirSync(folder).find((file) => file.endsWith('.gguf')) ?? ''));
    return {
      repair: () => {
        application.ownModels();
      },
    };
  },
  ...rest,
});

export async function untilEvents(life: Life, count: number): Promise<void> {
  while (!life.hasEnded() && life.events.length < count)
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
}

/** A child of the engine once work has begun and the child is there. @throws an Error when the run ends without it: nothing was hit. */
export async function victimOf(life: Life, which: keyof typeof CHILDREN): Promise<number> {
  await untilEvents(life, 1);
  while (!life.hasEnded()) {
    const pid = childOf(life.pid, which);
    if (pid !== null) return pid;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error(`The run ended before there was a ${which} to be hit.`);
}

/** A process that lives and does nothing, from its first work on. */
export const stopped =
  (which: keyof typeof CHILDREN) =>
  async (life: Life): Promise<void> => {
    process.kill(await victimOf(life, which), 'SIGSTOP');
  };

export const SUPERVISOR_FAULTS: Fault[] = [
  spoilt('answers late', 'late', goesOn),
  spoilt('never answers one review', 'never-once', goesOn),
  spoilt('answers one review under another number', 'wrong-id-once', goesOn),
  spoilt('answers everything twice', 'twice', goesOn),
  spoilt('sends a line that is no JSON', 'malformed-once', goesOn, { full: true }),
  spoilt('sends an empty line', 'empty-line-once', goesOn),
  spoilt('sends bytes that are no text', 'not-utf8-once', goesOn),
  spoilt('sends half a line and ends', 'half-line-once', goesOn),
  spoilt('sends a line of 5 MB', 'oversized-once', goesOn),
  spoilt('sends an empty answer', 'empty-once', {
    kind: 'stops',
    sentence: /The supervisor's answer to review has an unexpected form/,
  }),
  spoilt('dies in a review', 'die-in-review-once', goesOn),
  spoilt('dies in every review', 'die-in-review', {
    kind: 'stops',
    sentence: /The supervisor was lost \d times/,
  }),
  spoilt('dies whenever it loads its model', 'die-on-load', {
    kind: 'stops',
    sentence: /cannot be used as a supervisor: loading it ended its process/,
  }),
  spoilt(
    'answers what is no review',
    'no-review',
    { kind: 'reviewsFail', status: 'failed', sentence: /was not a review/ },
    { full: true },
  ),
  spoilt('is cut off in every answer', 'cut-off', {
    kind: 'reviewsFail',
    status: 'failed',
    sentence: /was not a review/,
  }),
  spoilt('names an issue that does not exist', 'unknown-issue', {
    kind: 'reviewsFail',
    status: 'failed',
    sentence: /was not a review/,
  }),
  {
    name: 'supervisor exceeds the time of every review',
    how: 'a limit of a millisecond',
    outcome: { kind: 'reviewsFail', status: 'failed', sentence: /did not finish its answer within 0\.001 s/ },
    config: (run) => ({ ...run, supervision: { ...run.supervision, reviewTimeoutSeconds: 0.001 } }),
    arrange: () => ({}),
  },
  {
    name: 'supervisor is too slow for the step',
    how: 'late answers and a budget of a tenth of a second',
    outcome: {
      kind: 'reviewsFail',
      status: 'skipped-by-budget',
      sentence: /reviewing time of this step was used up/,
    },
    config: (run) => ({ ...run, supervision: { ...run.supervision, budgetSeconds: 0.1 } }),
    arrange: (stage) => ({ node: stage.supervisor('late') }),
  },
  {
    name: 'supervisor hangs',
    how: 'SIGSTOP while it reviews',
    outcome: goesOn,
    arrange: () => ({ during: stopped('supervisor') }),
  },
  {
    name: 'supervisor program is missing',
    how: 'a path that does not exist',
    outcome: { kind: 'stops', sentence: /The supervisor could not be started: .* does not exist/ },
    arrange: () => ({ node: '/nonexistent/node' }),
  },
  inFile(
    'is missing',
    'deleted',
    /There is no model "embedded-supervisor"|does not exist/,
    (file) => rmSync(file),
    { full: true },
  ),
  inFile('is cut off', 'truncated to half', /is not a usable GGUF model/, (file) =>
    truncateSync(file, 2_000_000),
  ),
  inFile('is another kind of file', 'replaced by text', /is not a GGUF file/, (file) =>
    writeFileSync(file, 'not a model\n'.repeat(1000)),
  ),
];
