import { z } from 'zod';
import type { Frame } from '../../../contract/index.ts';
import { parseLiteral, parseResponse, readAnswerLiteral, readAnswerProgram, sameValue } from '../../../core/index.ts';
import type { Grade, Suite } from '../suite.ts';

const deductionItem = z.strictObject({ id: z.string(), suite: z.literal('toy-deduction'), program: z.string(), input: z.string(), output: z.string() });
const abductionItem = z.strictObject({ id: z.string(), suite: z.literal('toy-abduction'), program: z.string(), output: z.string() });
const pair = z.tuple([z.string(), z.string()]);
const inductionItem = z.strictObject({ id: z.string(), suite: z.literal('toy-induction'), message: z.string(), examples: z.array(pair), hidden: z.array(pair).min(1) });

const failed = (reason: string): Grade => ({ passed: false, reason });
const PASSED: Grade = { passed: true, reason: null };

/** A literal that ships with the application; a broken one is a fault of ours, not of the policy. */
function goldFrame(text: string): Frame {
  const parsed = parseLiteral(text);
  if (!parsed.ok) throw new Error(`The suite file holds the literal ${text}, which does not parse: ${parsed.reason}`);
  return parsed.frame;
}

function answeredFrame(response: string, kind: 'input' | 'output'): Frame | Grade {
  const { answer, formatOk } = parseResponse(response);
  if (!formatOk || answer === null) return failed('format');
  const parsed = parseLiteral(readAnswerLiteral(answer, kind, 'strict'));
  return parsed.ok ? parsed.frame : failed('not-a-literal');
}

const isGrade = (value: Frame | Grade): value is Grade => !Array.isArray(value);

/** Predict the output of a program. Graded by value, without running anything. */
export const toyDeduction: Suite<z.infer<typeof deductionItem>> = {
  name: 'toy-deduction', kind: 'toy', temperature: 1, measures: 'outputs predicted', file: 'toy-deduction.jsonl',
  parse: (line) => deductionItem.parse(line),
  ask: (item, pack) => ({ role: 'solver', user: pack.render('solve-deduction', { program: item.program, input: item.input }) }),
  grade: async (item, response) => {
    const answer = answeredFrame(response, 'output');
    if (isGrade(answer)) return answer;
    return sameValue(answer, goldFrame(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};

/** Find an input that gives the output. Any input that does counts, so the program is run on it. */
export const toyAbduction: Suite<z.infer<typeof abductionItem>> = {
  name: 'toy-abduction', kind: 'toy', temperature: 1, measures: 'inputs found', file: 'toy-abduction.jsonl',
  parse: (line) => abductionItem.parse(line),
  ask: (item, pack) => ({ role: 'solver', user: pack.render('solve-abduction', { program: item.program, output: item.output }) }),
  grade: async (item, response, execute) => {
    const answer = answeredFrame(response, 'input');
    if (isGrade(answer)) return answer;
    const [result] = await execute(item.program, [[answer]]);
    if (result === undefined || 'error' in result) return failed(result?.error ?? 'died');
    return sameValue(result.frame, goldFrame(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};

/** Write the function behind examples; it must give every hidden output. */
export const toyInduction: Suite<z.infer<typeof inductionItem>> = {
  name: 'toy-induction', kind: 'toy', temperature: 1, measures: 'functions induced', file: 'toy-induction.jsonl',
  parse: (line) => inductionItem.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-induction', {
      examples: item.examples.map(([input, output]) => pack.render('example', { input, output })).join('\n'), message: item.message,
    }),
  }),
  grade: async (item, response, execute) => {
    const { answer, formatOk } = parseResponse(response);
    const program = formatOk && answer !== null ? readAnswerProgram(answer, 'strict') : null;
    if (program === null) return failed(formatOk ? 'no-program' : 'format');
    const results = await execute(program, item.hidden.map(([input]) => [goldFrame(input)]));
    const wrong = item.hidden.findIndex(([, output], index) => {
      const result = results[index];
      return result === undefined || 'error' in result || !sameValue(result.frame, goldFrame(output), 'strict');
    });
    if (wrong < 0) return PASSED;
    const result = results[wrong];
    return failed(result === undefined ? 'died' : 'error' in result ? result.error : 'wrong-value');
  },
};
