import type { RunnerClient, GradeResult } from '../../processes/index.ts';
import { foreignIn } from './values/compare.ts';

/** What graders need of the outside. */
export type CodeTools = {
  runner: Pick<RunnerClient, 'grade' | 'extract' | 'hello'>;
  /** Processes that want a processor, averaged over the last minute (os.loadavg()[0]); kept with every verdict. */
  loadAverage: () => number;
};

/**
 * What was noticed beside a verdict. forged-equality: a value says that it equals anything. custom-equality: a value compares
 * by a rule of the program's own. other-type: a value of another type than plain data (a Counter, a Decimal). forged-report:
 * something else than the calls' values was written in their place. left-early: the process ended itself or crashed.
 * too-large: more was returned than is carried, or a value that could not be read.
 */
export const CODE_FLAGS = [
  'forged-equality',
  'custom-equality',
  'other-type',
  'forged-report',
  'left-early',
  'too-large',
] as const;
export type Flag = (typeof CODE_FLAGS)[number];

/** The flags of one run, in the order of CODE_FLAGS. */
export function flagsOf(result: GradeResult): Flag[] {
  const found = new Set<Flag>();
  for (const call of result.calls) {
    if (call.status === 'badFrame') found.add('forged-report');
    if (call.status !== 'ok') continue;
    const foreign = foreignIn(call.value);
    if (foreign.claims) found.add('forged-equality');
    if (foreign.custom) found.add('custom-equality');
    if (foreign.otherType) found.add('other-type');
    if (call.value[0] === 'h' && call.value[1] === 'huge') found.add('too-large');
  }
  if (result.status === 'badFrame') found.add('forged-report');
  if (result.status === 'died') found.add('left-early');
  if (result.status === 'output') found.add('too-large');
  return CODE_FLAGS.filter((flag) => found.has(flag));
}

/** `problem` names why no program could be taken out; then `program` is the text itself, which will not pass for one. */
type Sanitized = { program: string; problem: string | null };

/**
 * The program in a model's answer by EvalPlus's rules: the longest run of lines that is Python, and of it imports, classes,
 * functions that return and assignments, the first of each name; with an entry point only what it reaches. Python's own ast
 * module does it, in the sandbox: it is the parser that executes the program later, and it needs no second grammar.
 */
export async function sanitize(
  text: string,
  entryPoint: string | null,
  { runner }: Pick<CodeTools, 'runner'>,
): Promise<Sanitized> {
  const [answer] = await runner.extract([{ text, entry: entryPoint }]);
  if (answer === undefined || 'error' in answer)
    return { program: text, problem: answer?.error ?? 'no answer' };
  return { program: answer.program, problem: null };
}
