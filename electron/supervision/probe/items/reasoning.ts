import type { Issue } from '../../reviewers/answers.ts';
import { kindAt, shownProgram, solutionItem, stagesOf, type Pair, type PairMaker } from '../pair.ts';
import {
  anyProgram,
  linesOf,
  numberProgram,
  otherStage,
  programSource,
  stepValue,
  type Operator,
  type Program,
  type Stage,
} from '../programs.ts';

const sentence = (steps: readonly Stage[]): string =>
  `${steps
    .map(({ says }, index) => (index === 0 ? `First ${says}` : `then ${says}`))
    .join(', ')}, and return the result.`;

/** The compact language's plan: statements before the return, type of the input, whether there is a loop. */
function compactPlan(lines: readonly string[], type: string, loop: boolean): string {
  const steps = lines.filter((line) => !line.startsWith(' ')).length;
  return `${steps} step${steps === 1 ? '' : 's'} on ${type}${loop ? ' with loop' : ''}`;
}

const PROSE_PLANS = ['skips a step', 'names another step'] as const;
const COMPACT_PLANS = ['another count', 'another type', 'another loop'] as const;

const planMismatch: PairMaker = async (making) => {
  const { draw, style, length, turn } = making;
  const program = anyProgram(draw, stagesOf(length));
  const { stages, kind: type } = program;
  const shown = await shownProgram(making, programSource(program, style), program.input);
  if (shown === null) return null;
  const pair = (kind: string, wrong: string, right: string): Pair => ({
    kind,
    carries: solutionItem(shown, 'plan', { plan: wrong }),
    control: solutionItem(shown, 'plan', { plan: right }),
  });
  if (style === 'compact') {
    const kind = kindAt(COMPACT_PLANS, turn);
    const lines = linesOf(program);
    const loop = lines.some((line) => line.startsWith('for '));
    const wrong = {
      'another count': compactPlan(
        [...lines, ...Array.from({ length: draw.between(1, 2) }, () => 'x')],
        type,
        loop,
      ),
      'another type': compactPlan(lines, type === 'str' ? 'list' : 'str', loop),
      'another loop': compactPlan(lines, type, !loop),
    }[kind];
    return pair(kind, wrong, compactPlan(lines, type, loop));
  }
  const kind = kindAt(PROSE_PLANS, turn);
  // The last stage of a list program makes the number that it returns; a plan without it would be of another type.
  const at = draw.below(type === 'list' ? stages.length - 1 : stages.length);
  const changed =
    kind === 'skips a step'
      ? stages.toSpliced(at, 1)
      : stages.toSpliced(at, 1, otherStage(draw, stages[at] as Stage, program));
  // Carried out, the plan must come to another value, or it would be as good as the right one.
  const { output } = await making.check(programSource({ stages: changed }, style), shown.input);
  return output === null || output === shown.output ? null : pair(kind, sentence(changed), sentence(stages));
};

type NumberProgram = ReturnType<typeof numberProgram>;

/** Values of each step when one of them comes out wrong and the later ones go on from there. */
function valuesWith({ values, stages }: NumberProgram, at: number, off: number): number[] {
  const found = [values[0] as number];
  for (const [index, { step }] of stages.entries()) {
    const value = stepValue(found[index] as number, step as NonNullable<Stage['step']>);
    found.push(index === at ? value + off : value);
  }
  return found;
}

const WORD_OF: Readonly<Record<Operator, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '//': 'divided by',
  '%': 'modulo',
};

/** Reasoning in sentences, with signs or with words. */
function prose({ stages }: Program, values: readonly number[], words: boolean): string {
  const steps = stages.map(({ step }, index) => {
    const { operator, by } = step as NonNullable<Stage['step']>;
    const [before, after] = [values[index], values[index + 1]];
    return words
      ? `${before} ${WORD_OF[operator]} ${by} is ${after}.`
      : `Now ${before} ${operator} ${by} = ${after}.`;
  });
  return [`The input is ${values[0]}.`, ...steps, `So the function returns ${values.at(-1)}.`].join(' ');
}

/** The compact language's trace: each line of the program with the values put in. */
function trace({ stages }: Program, values: readonly number[], miscopied = -1): string {
  const lines = stages.map(({ step }, index) => {
    const { operator, by } = step as NonNullable<Stage['step']>;
    const stated = index === miscopied ? by + 1 : by;
    const before = values[index] as number;
    return `x=x${operator}${stated}=${before}${operator}${stated}=${values[index + 1]}`;
  });
  return [...lines, `x=${values.at(-1)}`].join('\n');
}

const PROSE_ERRORS = ['wrong sum', 'wrong sum in words', 'stops half-way'] as const;
const COMPACT_ERRORS = ['wrong value', 'miscopied line'] as const;

const traceError: PairMaker = async (making) => {
  const { draw, style, length, turn } = making;
  const program = numberProgram(draw, stagesOf(length));
  const shown = await shownProgram(making, programSource(program, style), program.input);
  // The sandbox confirms the values that the reasoning goes through by where they end.
  if (shown?.output !== String(program.values.at(-1))) return null;
  const at = draw.below(program.stages.length);
  const wrong = valuesWith(program, at, draw.pick([1, 2, 3]));
  if (wrong.some((value) => value < 0)) return null;
  const pair = (kind: string, carries: string, control: string): Pair => ({
    kind,
    carries: solutionItem(shown, 'thought', { thought: carries }),
    control: solutionItem(shown, 'thought', { thought: control }),
  });
  if (style === 'compact') {
    const kind = kindAt(COMPACT_ERRORS, turn);
    if (kind === 'wrong value') return pair(kind, trace(program, wrong), trace(program, program.values));
    const stages = program.stages.map((stage, index) =>
      index === at && stage.step ? { ...stage, step: { ...stage.step, by: stage.step.by + 1 } } : stage,
    );
    const values = valuesWith({ ...program, stages }, -1, 0);
    if (values.some((value) => value < 0)) return null;
    return pair(kind, trace(program, values, at), trace(program, program.values));
  }
  const kind = kindAt(PROSE_ERRORS, turn);
  if (kind !== 'stops half-way') {
    const words = kind === 'wrong sum in words';
    return pair(kind, prose(program, wrong, words), prose(program, program.values, words));
  }
  const half = Math.floor(program.stages.length / 2);
  const stopped = { ...program, stages: program.stages.slice(0, half) };
  const reached = program.values.slice(0, half + 1);
  if (reached.at(-1) === program.values.at(-1)) return null;
  return pair(kind, prose(stopped, reached, true), prose(program, program.values, true));
};

const IDLE = [
  'This looks like a function that I have met many times before.',
  'I am quite sure what it does with such an input.',
  'There is nothing difficult about it at all.',
  'The result can be seen at a glance.',
  'Most people would find it at once.',
  'It would be a waste of time to go through it line by line.',
  'I trust my first impression here.',
  'Nothing in it is out of the ordinary.',
] as const;

/** Sentences without a step, about as long as a text. */
function idleAs(text: string, order: readonly string[]): string {
  let idle = order[0] as string;
  for (const next of order.slice(1)) {
    if (idle.length + next.length / 2 > text.length) break;
    idle = `${idle} ${next}`;
  }
  return idle;
}

const noTrace: PairMaker = async (making) => {
  const { draw, style, length } = making;
  const program = numberProgram(draw, stagesOf(length));
  const shown = await shownProgram(making, programSource(program, style), program.input);
  if (shown?.output !== String(program.values.at(-1))) return null;
  const steps = style === 'compact' ? trace(program, program.values) : prose(program, program.values, false);
  const idle = style === 'compact' ? 'direct' : idleAs(steps, draw.shuffled(IDLE));
  return {
    kind: 'no steps',
    carries: solutionItem(shown, 'thought', { thought: idle }),
    control: solutionItem(shown, 'thought', { thought: steps }),
  };
};

export const REASONING_PAIRS = {
  plan_mismatch: planMismatch,
  trace_error: traceError,
  no_trace: noTrace,
} as const satisfies Partial<Record<Issue, PairMaker>>;
