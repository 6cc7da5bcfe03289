import { InvalidArgumentError, type Command } from 'commander';
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

/** A name as a column; `last` becomes the step it means now. */
export function subjectId(store: Pick<Records, 'getRun'>, reference: string): string {
  const last = /^(.+)@last$/.exec(reference);
  if (last !== null) return `${last[1]}@${store.getRun(last[1]!)?.committedSteps ?? 0}`;
  if (reference === 'embedded') return 'model:embedded-policy';
  return reference.startsWith('model:') || /@\d+$/.test(reference) ? reference : `model:${reference}`;
}

export function contextOption(text: string): 'weights' | 'run' | 'both' {
  if (text !== 'weights' && text !== 'run' && text !== 'both')
    throw new InvalidArgumentError('It can be "weights", "run" or, of a matrix or a list, "both".');
  return text;
}
