import { InvalidArgumentError, type Command } from 'commander';
import { Failure } from '../contract/index.ts';
import type { Records } from './program.ts';

/**
 * The options of a command below `eval`. Those that both have reach the one above, wherever they stand in the line: with its value where it was
 * given, and their own default else.
 */
export function withGiven<T extends object>(above: Command, own: T): T {
  const given = Object.entries(above.opts<T>()).filter(
    ([name]) => above.getOptionValueSource(name) === 'cli',
  );
  return { ...own, ...Object.fromEntries(given) };
}

/**
 * A name as a column; `last` becomes the step it means now.
 * @throws Failure `unknownRun` (exit code 2) for the last step of a run that is not there: evaluations outlive runs, but not which step was last.
 */
export function subjectId(store: Pick<Records, 'getRun'>, reference: string): string {
  const [, runId] = /^(.+)@last$/.exec(reference) ?? [];
  if (runId !== undefined) {
    const run = store.getRun(runId);
    if (run === null)
      throw new Failure(
        'unknownRun',
        `There is no run "${runId}" in this lab, so "${reference}" names no step; "anchor runs" lists the runs, and evaluations of one that was deleted are named by their step, as in "${runId}@8".`,
        2,
      );
    return `${runId}@${run.committedSteps}`;
  }
  if (reference === 'embedded') return 'model:embedded-policy';
  return reference.startsWith('model:') || /@\d+$/.test(reference) ? reference : `model:${reference}`;
}

export function contextOption(text: string): 'weights' | 'run' | 'both' {
  if (text !== 'weights' && text !== 'run' && text !== 'both')
    throw new InvalidArgumentError('It can be "weights", "run" or, of a matrix or a list, "both".');
  return text;
}
