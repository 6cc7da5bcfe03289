import type { CodeTools } from './flags.ts';

/** `problem` names why no program could be taken out; then `program` is the text itself, which will not pass for one. */
export type Sanitized = { program: string; problem: string | null };

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
