import { z } from 'zod';
import { readAnswerName, readAnswerProgram, sameValue } from '../../../core/index.ts';
import {
  type Suite,
  answeredValue,
  answerOf,
  failed,
  goldValue,
  gradeIf,
  isGrade,
  PASSED,
} from '../suite.ts';

const deductionItem = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-deduction'),
  program: z.string(),
  input: z.string(),
  output: z.string(),
});

/** Predict the output of a program. Graded by value, without running anything. */
export const toyDeduction: Suite<z.infer<typeof deductionItem>> = {
  name: 'toy-deduction',
  taskType: 'deduction',
  temperature: 1,
  measures: 'outputs predicted',
  file: 'toy-deduction.jsonl',
  parse: (line) => deductionItem.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-deduction', { program: item.program, input: item.input }),
  }),
  grade: async (item, response) => {
    const answer = answeredValue(response, 'output');
    if (isGrade(answer)) return answer;
    return sameValue(answer, goldValue(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};

const abductionItem = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-abduction'),
  program: z.string(),
  output: z.string(),
});

/** Find an input that gives the output. Any input that does counts, so the program is run on it. */
export const toyAbduction: Suite<z.infer<typeof abductionItem>> = {
  name: 'toy-abduction',
  taskType: 'abduction',
  mini: false,
  temperature: 1,
  measures: 'inputs found',
  file: 'toy-abduction.jsonl',
  parse: (line) => abductionItem.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-abduction', { program: item.program, output: item.output }),
  }),
  grade: async (item, response, execute) => {
    const answer = answeredValue(response, 'input');
    if (isGrade(answer)) return answer;
    const [result] = await execute(item.program, [[answer]]);
    if (result === undefined || 'error' in result) return failed(result?.error ?? 'died');
    return sameValue(result.value, goldValue(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};

const pair = z.tuple([z.string(), z.string()]);
const inductionItem = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-induction'),
  message: z.string(),
  examples: z.array(pair),
  hidden: z.array(pair).min(1),
});

/** Write the function behind examples; it must give every hidden output. */
export const toyInduction: Suite<z.infer<typeof inductionItem>> = {
  name: 'toy-induction',
  taskType: 'induction',
  temperature: 1,
  measures: 'functions induced',
  file: 'toy-induction.jsonl',
  parse: (line) => inductionItem.parse(line),
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

const errorItem = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-error'),
  program: z.string(),
  input: z.string(),
  output: z.string(),
});

/** Predict the exception a call raises, or NoError. Graded as in training: names are compared whatever their case. */
export const toyError: Suite<z.infer<typeof errorItem>> = {
  name: 'toy-error',
  taskType: 'error',
  mini: false,
  temperature: 1,
  measures: 'exceptions predicted',
  file: 'toy-error.jsonl',
  parse: (line) => errorItem.parse(line),
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
