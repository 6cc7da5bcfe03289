import { z } from 'zod';
import { readAnswerProgram, sameValue } from '../../../core/index.ts';
import { type Suite, answerOf, failed, goldValue, isGrade, PASSED } from '../suite.ts';

const pair = z.tuple([z.string(), z.string()]);
const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-induction'),
  message: z.string(),
  examples: z.array(pair),
  hidden: z.array(pair).min(1),
});

/** Write the function behind examples; it must give every hidden output. */
export const toyInduction: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-induction',
  taskType: 'induction',
  temperature: 1,
  measures: 'functions induced',
  file: 'toy-induction.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-induction', {
      examples: item.examples.map(([input, output]) => pack.render('example', { input, output })).join('\n'),
      message: item.message,
    }),
  }),
  grade: async (item, response, execute) => {
    const answer = answerOf(response);
    if (isGrade(answer)) return answer;
    const program = readAnswerProgram(answer, 'strict');
    if (program === null) return failed('no-program');
    const results = await execute(
      program,
      item.hidden.map(([input]) => [goldValue(input)]),
    );
    const wrong = item.hidden.findIndex(([, output], index) => {
      const result = results[index];
      return (
        result === undefined || 'error' in result || !sameValue(result.value, goldValue(output), 'strict')
      );
    });
    if (wrong < 0) return PASSED;
    const result = results[wrong];
    return failed(result === undefined ? 'died' : 'error' in result ? result.error : 'wrong-value');
  },
};
