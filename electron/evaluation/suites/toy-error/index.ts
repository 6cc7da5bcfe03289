import { z } from 'zod';
import type { Suite } from '../suite.ts';
import { answerOf, failed, isGrade, PASSED } from '../toy/code-answers.ts';

const itemSchema = z.strictObject({ id: z.string(), suite: z.literal('toy-error'), program: z.string(), input: z.string(), output: z.string() });

/** Predict the exception a call raises, or NoError. Graded as in training: the first word, whatever its case. */
export const toyError: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-error', kind: 'toy', taskType: 'error', temperature: 1, measures: 'exceptions predicted', file: 'toy-error.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: ({ program, input }, pack) => ({ role: 'solver', user: pack.render('solve-error', { program, input }) }),
  grade: async ({ output }, response) => {
    const answer = answerOf(response);
    if (isGrade(answer)) return answer;
    const [word = ''] = answer.trim().split(/[\s:]/);
    return word.toLowerCase() === output.toLowerCase() ? PASSED : failed('wrong-value');
  },
};
