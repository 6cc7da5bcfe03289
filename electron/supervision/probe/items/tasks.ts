import type { Issue } from '../../reviewers/answers.ts';
import { kindAt, proposalItem, stagesOf, type PairMaker, type PairMaking } from '../pair.ts';
import {
  anyProgram,
  inStyle,
  linesOf,
  literalInStyle,
  numberProgram,
  programSource,
  sourceOf,
  type Program,
} from '../programs.ts';

/** Two programs that no proposal of the pair repeats. */
const references = ({ draw, style, length }: PairMaking): [string, string] => [
  programSource(anyProgram(draw, stagesOf(length)), style),
  programSource(anyProgram(draw, stagesOf(length)), style),
];

type Proposal = { source: string; input: string; shown?: readonly string[] };

/** Two proposals under the same references, each with what the sandbox says of it. */
async function proposals(
  making: PairMaking,
  carries: Proposal,
  control: Proposal,
): Promise<{
  items: [ReturnType<typeof proposalItem>, ReturnType<typeof proposalItem>];
  truths: [Awaited<ReturnType<PairMaking['check']>>, Awaited<ReturnType<PairMaking['check']>>];
}> {
  const shown = references(making);
  const [first, second] = await Promise.all(
    [carries, control].map(async ({ source, input, shown: own }) => {
      const literal = literalInStyle(input, making.style);
      const truth = await making.check(source, literal);
      return { truth, item: proposalItem(source, literal, own ?? shown, truth) };
    }),
  );
  if (first === undefined || second === undefined) throw new Error('A pair has two sides.');
  return { items: [first.item, second.item], truths: [first.truth, second.truth] };
}

/** A pair whose control is a valid task and whose other side was refused for one of `reasons`. */
async function refused(
  making: PairMaking,
  kind: string,
  reasons: readonly string[],
  carries: Proposal,
  control: Proposal,
) {
  const { items, truths } = await proposals(making, carries, control);
  const holds = truths[1].valid && !truths[0].valid && reasons.includes(truths[0].reason ?? '');
  return holds ? { kind, carries: items[0], control: items[1] } : null;
}

const SYNTAX = ['missing colon', 'open bracket', 'wrong indent'] as const;

const badSyntax: PairMaker = async (making) => {
  const program = anyProgram(making.draw, stagesOf(making.length));
  const source = programSource(program, making.style);
  const kind = kindAt(SYNTAX, making.turn);
  const lines = source.split('\n');
  const [head = '', first = '', ...rest] = lines;
  const last = rest.at(-1) ?? '';
  const broken = {
    'missing colon': [head.replace(':', ''), first, ...rest],
    'open bracket': [head, first, ...rest.slice(0, -1), last.replace('return ', 'return (')],
    'wrong indent': [head, first, ` ${rest[0] ?? ''}`, ...rest.slice(1)],
  }[kind].join('\n');
  const { input } = program;
  return refused(making, kind, ['syntax-error'], { source: broken, input }, { source, input });
};

const UNSAFE = ['forbidden module', 'forbidden call'] as const;

/** The same program with a call that reaches out of the function, or one that does not. */
const unsafeCall: PairMaker = async (making) => {
  const { draw, style, turn, length } = making;
  const program = numberProgram(draw, stagesOf(length) - 1);
  const kind = kindAt(UNSAFE, turn);
  const by = draw.between(2, 9);
  const [before, ...after] = linesOf(program);
  const source = (head: string, line: string): string =>
    inStyle(`${head}${sourceOf([before as string, line, ...after], 'plain')}`, style);
  const [bad, good] =
    kind === 'forbidden module'
      ? [
          source('import os\n', `x = x + len(os.listdir('.'))`),
          source('import math\n', `x = x + math.gcd(x, ${by})`),
        ]
      : [source('', `x = x + eval('${by}')`), source('', `x = x + int('${by}')`)];
  const { input } = program;
  return refused(
    making,
    kind,
    ['banned-module', 'banned-call'],
    { source: bad, input },
    { source: good, input },
  );
};

const INVALID = ['raises', 'not deterministic', 'returns nothing'] as const;

const invalid: PairMaker = async (making) => {
  const { draw, style, turn, length } = making;
  const program = numberProgram(draw, stagesOf(length) - 1);
  const kind = kindAt(INVALID, turn);
  const lines = linesOf(program);
  const { input } = program;
  const reasons = ['raised', 'non-deterministic', 'empty-output'];
  const word = draw.pick(['ab', 'cd', 'ef']);
  switch (kind) {
    case 'raises': {
      // The same program; only the input of the one makes the divisor zero.
      const other = String(Number(input) + draw.between(2, 5));
      const source = sourceOf([`y = 100 // (x - ${input})`, ...lines, 'x = x + y'], style);
      return refused(making, kind, reasons, { source, input }, { source, input: other });
    }
    case 'not deterministic': {
      const by = draw.between(50, 97);
      const of = (call: string): string => sourceOf([...lines, `x = x + ${call} % ${by}`], style);
      return refused(
        making,
        kind,
        reasons,
        { source: of(`hash('${word}')`), input },
        { source: of(`len('${word}')`), input },
      );
    }
    case 'returns nothing': {
      const whole = sourceOf(lines, style);
      const source = whole.replace('return x', style === 'plain' ? 'y = x' : 'y=x');
      return refused(making, kind, reasons, { source, input }, { source: whole, input });
    }
  }
};

const DUPLICATE = ['same text', 'other spacing'] as const;

/** The same proposal under references that have it, or have another program in its place. */
const duplicate: PairMaker = async (making) => {
  const { draw, style, turn, length } = making;
  const program = anyProgram(draw, stagesOf(length));
  const kind = kindAt(DUPLICATE, turn);
  const source = programSource(program, style);
  const [first, other] = references(making);
  const copy = kind === 'same text' ? source : source.replaceAll('\n', '  # as before\n');
  const { input } = program;
  const { items, truths } = await proposals(
    making,
    { source, input, shown: [first, copy] },
    { source, input, shown: [first, other] },
  );
  const [own, ...shown] = await Promise.all(
    [source, copy, first, other].map((text) => making.check(text, input)),
  );
  const repeats = shown.map(({ normalized }) => normalized === own?.normalized);
  const holds = truths[0].valid && repeats[0] === true && !repeats[1] && !repeats[2];
  return holds ? { kind, carries: items[0], control: items[1] } : null;
};

/** One addition, or a chain of steps, under references of the same length. */
const trivial: PairMaker = async (making) => {
  const { draw, style } = making;
  const chain: Program = numberProgram(draw, stagesOf('short'));
  const by = draw.between(1, 9);
  const { items, truths } = await proposals(
    making,
    { source: sourceOf([], style, style === 'plain' ? `x + ${by}` : `x+${by}`), input: chain.input },
    { source: programSource(chain, style), input: chain.input },
  );
  const holds = truths[0].valid && truths[1].valid;
  return holds ? { kind: 'one addition', carries: items[0], control: items[1] } : null;
};

export const TASK_PAIRS = {
  bad_syntax: badSyntax,
  unsafe_call: unsafeCall,
  invalid,
  duplicate,
  trivial,
} as const satisfies Partial<Record<Issue, PairMaker>>;
