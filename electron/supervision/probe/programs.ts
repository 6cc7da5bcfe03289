import type { Draw } from './draw.ts';

/** How the items look: as the judge's runs show them. The embedded supervisor reads the short language of its own world. */
export type ProbeStyle = 'plain' | 'compact';

export type ValueKind = 'int' | 'list' | 'str';

/** One statement of a program, or one loop, with what it does in words. */
export type Stage = {
  takes: ValueKind;
  gives: ValueKind;
  lines: readonly string[];
  says: string;
  /** Whole numbers only: the operator and its right side. */
  step?: { operator: Operator; by: number };
};

export type Operator = '+' | '-' | '*' | '//' | '%';

/** A program of one function, stage after stage on one variable. */
export type Program = { kind: ValueKind; stages: readonly Stage[]; input: string };

const SAYS: Readonly<Record<Operator, (by: number) => string>> = {
  '+': (by) => `add ${by}`,
  '-': (by) => `subtract ${by}`,
  '*': (by) => `multiply by ${by}`,
  '//': (by) => `divide by ${by}, rounding down`,
  '%': (by) => `take the remainder of a division by ${by}`,
};

/** One step on a whole number. */
export function numberStage(operator: Operator, by: number): Stage {
  return {
    takes: 'int',
    gives: 'int',
    lines: [`x = x ${operator} ${by}`],
    says: SAYS[operator](by),
    step: { operator, by },
  };
}

/** Python's value of a step on a number that is not negative. */
export function stepValue(value: number, { operator, by }: NonNullable<Stage['step']>): number {
  switch (operator) {
    case '+':
      return value + by;
    case '-':
      return value - by;
    case '*':
      return value * by;
    case '//':
      return Math.floor(value / by);
    case '%':
      return value % by;
  }
}

const LARGEST = 400; // numbers that people follow in their heads

/** A chain of steps on a whole number that stays small and never negative, no step the same as the one before. */
export function numberProgram(draw: Draw, steps: number): Program & { values: number[] } {
  const start = draw.between(3, 12);
  const stages: Stage[] = [];
  const values = [start];
  while (stages.length < steps) {
    const operator = draw.pick<Operator>(['+', '-', '*', '+', '*', '//', '%']);
    const by = operator === '*' ? draw.between(2, 4) : draw.between(2, 9);
    const before = values.at(-1) as number;
    const stage = numberStage(operator, by);
    const value = stepValue(before, { operator, by });
    const dull = value === before || (before < by && (operator === '%' || operator === '//'));
    if (value < 0 || value > LARGEST || dull || stages.at(-1)?.step?.operator === operator) continue;
    stages.push(stage);
    values.push(value);
  }
  return { kind: 'int', stages, input: String(start), values };
}

const stage = (takes: ValueKind, gives: ValueKind, says: string, ...lines: string[]): Stage => ({
  takes,
  gives,
  says,
  lines,
});

/** What can be done with a list; each draws its numbers anew. */
const LIST_STAGES: readonly ((draw: Draw) => Stage)[] = [
  (draw) => {
    const by = draw.between(2, 5);
    return stage('list', 'list', `multiply every entry by ${by}`, `x = [v * ${by} for v in x]`);
  },
  (draw) => {
    const by = draw.between(1, 9);
    return stage('list', 'list', `add ${by} to every entry`, `x = [v + ${by} for v in x]`);
  },
  () => stage('list', 'list', 'reverse the order of the entries', 'x = x[::-1]'),
  () => stage('list', 'list', 'sort the entries', 'x = sorted(x)'),
  (draw) => {
    const by = draw.between(1, 9);
    return stage('list', 'list', `put ${by} at the end of the list`, `x = x + [${by}]`);
  },
  () => stage('list', 'list', 'drop the first entry', 'x = x[1:]'),
];

const LIST_ENDS: readonly ((draw: Draw) => Stage)[] = [
  (draw) => {
    const by = draw.between(2, 4);
    return stage(
      'list',
      'int',
      `go through the entries, each time multiplying a total by ${by} and adding the entry`,
      't = 0',
      'for v in x:',
      `    t = t * ${by} + v`,
      'x = t',
    );
  },
  () => stage('list', 'int', 'add all entries up', 'x = sum(x)'),
  () => stage('list', 'int', 'take the largest entry', 'x = max(x)'),
];

const TEXT_STAGES: readonly ((draw: Draw) => Stage)[] = [
  () => stage('str', 'str', 'reverse the text', 'x = x[::-1]'),
  () => stage('str', 'str', 'turn the text into capitals', 'x = x.upper()'),
  (draw) => {
    const end = draw.pick(['ab', 'co', 'em', 'in']);
    return stage('str', 'str', `put "${end}" at the end of the text`, `x = x + '${end}'`);
  },
  (draw) => {
    const [from, to] = [draw.pick(['a', 'e']), draw.pick(['o', 'u'])];
    return stage('str', 'str', `replace every "${from}" by "${to}"`, `x = x.replace('${from}', '${to}')`);
  },
  () => stage('str', 'str', 'drop the first character', 'x = x[1:]'),
  () => stage('str', 'str', 'write the text twice', 'x = x * 2'),
];

const WORDS = ['table', 'garden', 'melon', 'paper', 'lantern', 'needle'] as const;

/** Stages of a kind in a random order, none twice in a row as the list is used up and begun again. */
function manyStages(draw: Draw, makers: readonly ((draw: Draw) => Stage)[], count: number): Stage[] {
  const order: Stage[] = [];
  while (order.length < count) order.push(...draw.shuffled(makers).map((make) => make(draw)));
  return order.slice(0, count);
}

/** A program of any kind with so many stages. */
export function anyProgram(draw: Draw, stages: number): Program {
  const kind = draw.pick<ValueKind>(['int', 'list', 'list', 'str']);
  if (kind === 'int') return numberProgram(draw, stages);
  if (kind === 'str')
    return { kind, stages: manyStages(draw, TEXT_STAGES, stages), input: `'${draw.pick(WORDS)}'` };
  const input = Array.from({ length: draw.between(3, 5) }, () => draw.between(1, 9));
  const body = manyStages(draw, LIST_STAGES, stages - 1);
  return { kind, stages: [...body, draw.pick(LIST_ENDS)(draw)], input: `[${input.join(', ')}]` };
}

/** Another stage that takes and gives the same, in words that the program does not have. */
export function otherStage(draw: Draw, { takes, gives }: Stage, program: Program): Stage {
  const known = new Set(program.stages.map(({ says }) => says));
  for (;;) {
    const other =
      takes === 'int'
        ? numberStage(draw.pick<Operator>(['+', '-', '*']), draw.between(2, 9))
        : draw.pick(takes === 'str' ? TEXT_STAGES : gives === 'int' ? LIST_ENDS : LIST_STAGES)(draw);
    if (!known.has(other.says)) return other;
  }
}

/** The lines of a function with these statements, one line a statement of its body. */
export function sourceOf(lines: readonly string[], style: ProbeStyle, result = 'x'): string {
  const body = [...lines, `return ${result}`].map((line) => `    ${line}`);
  return inStyle(['def f(x):', ...body].join('\n'), style);
}

export const linesOf = ({ stages }: Pick<Program, 'stages'>): string[] =>
  stages.flatMap(({ lines }) => [...lines]);

export const programSource = (program: Pick<Program, 'stages'>, style: ProbeStyle): string =>
  sourceOf(linesOf(program), style);

/** The compact language has one blank a level and none around signs. */
export function inStyle(source: string, style: ProbeStyle): string {
  if (style === 'plain') return source;
  return source
    .split('\n')
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      return ' '.repeat(Math.ceil(indent / 4)) + line.trim().replace(/ ?([-+*/%=<>,]+) ?/g, '$1');
    })
    .join('\n');
}

export const literalInStyle = (literal: string, style: ProbeStyle): string =>
  style === 'plain' ? literal : literal.replaceAll(', ', ',');
