import { z } from 'zod';
import { readAnswerName } from '../../../core/index.ts';
import { gradeIf, type Suite, answerOf, isGrade } from '../suite.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-error'),
  program: z.string(),
  input: z.string(),
  output: z.string(),
});

/** Predict the exception a call raises, or NoError. Graded as in training: names are compared whatever their case. */
export const toyError: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-error',
  taskType: 'error',
  mini: false,
  temperature: 1,
  measures: 'exceptions predicted',
  file: 'toy-error.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: ({ program, input }, pack) => ({
    role: 'solver',
    user: pack.render('solve-error', { program, input }),
  }),
  grade: async ({ output }, response) => {
    const answer = answerOf(response);
    if (isGrade(answer)) return answer;
    return gradeIf(readAnswerName(answer, 'strict').toLowerCase() === output.toLowerCase(), 'wrong-value');
  },
};
