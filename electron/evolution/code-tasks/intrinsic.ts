import {
  answerKind,
  type AnswerKind,
  type AzrConfig,
  type CodeTaskType,
  type TaskRecord,
} from '../../contract/index.ts';
import { parseLiteral, similarity, type IntrinsicValues } from '../../core/index.ts';
import { tokenizeProgram, type ProgramToken } from './checking/program-tokens.ts';

const KEYWORDS = new Set([
  'and',
  'as',
  'assert',
  'async',
  'await',
  'break',
  'class',
  'continue',
  'def',
  'del',
  'elif',
  'else',
  'except',
  'finally',
  'for',
  'from',
  'global',
  'if',
  'import',
  'in',
  'is',
  'lambda',
  'nonlocal',
  'not',
  'or',
  'pass',
  'raise',
  'return',
  'try',
  'while',
  'with',
  'yield',
]);
const DECISIONS = new Set(['if', 'elif', 'for', 'while', 'except', 'and', 'or', 'assert']);
const NESTING = new Set(['if', 'for', 'while', 'except']);
const CONTINUING = new Set(['elif', 'else']);
/** The original divides cognitive complexity by 15 before its coefficient. */
const COMPLEXITY_SCALE = 15;

export type IntrinsicRules = Pick<AzrConfig['intrinsic'], 'measures' | 'surprise'>;
export const measuresAsOriginal = ({ measures }: IntrinsicRules): boolean => measures === 'azr-compat';

/**
 * The intrinsic values of a valid proposal, its edit distance over tokens. `references` are the tasks its proposer was shown (none:
 * editDistance null). Answer diversity is that of the literals a solver has to find: the input, the output, or, when it writes a program,
 * the mean over all inputs and outputs.
 */
export function intrinsicValues(
  taskType: CodeTaskType,
  task: { program: string; inputs: readonly string[]; outputs: readonly string[] },
  references: readonly Pick<TaskRecord, 'program'>[],
  counters: AnswerCounters,
  { surprise = 'flat' }: IntrinsicRules = {},
): IntrinsicValues {
  const tokens = tokenizeProgram(task.program);
  const found = counters.outputsOf(taskType);
  const inputs = task.inputs.map((input) => counters.inputs.surprise(input, surprise));
  const outputs = task.outputs.map((output) => found.surprise(output, surprise));
  return {
    complexity: cognitiveComplexity(task.program) / COMPLEXITY_SCALE,
    halstead: halsteadScore(tokens),
    editDistance: mean(
      references.map((reference) => 1 - similarity(words(tokens), words(tokenizeProgram(reference.program)))),
    ),
    answerDiversity: mean(
      {
        input: inputs,
        output: outputs,
        name: outputs,
        expression: outputs,
        program: [...inputs, ...outputs],
      }[answerKind(taskType)],
    ),
    inputDiversity: mean(inputs),
    outputDiversity: mean(outputs),
  };
}

/**
 * The values of these that are a proposer's to be rewarded: inputs and outputs apart are of induction tasks only, and measured as the
 * original does an induction task has no others.
 */
export function rewardedIntrinsics(
  taskType: CodeTaskType,
  values: IntrinsicValues,
  rules: IntrinsicRules,
): IntrinsicValues {
  const { inputDiversity, outputDiversity, ...others } = values;
  if (answerKind(taskType) !== 'program') return { ...others, inputDiversity: null, outputDiversity: null };
  return measuresAsOriginal(rules) ? { ...NO_INTRINSICS, inputDiversity, outputDiversity } : values;
}

/** Of an invalid proposal; it is never read, because such a proposal's reward is fixed. */
export const NO_INTRINSICS: IntrinsicValues = {
  complexity: null,
  editDistance: null,
  halstead: null,
  answerDiversity: null,
  inputDiversity: null,
  outputDiversity: null,
};

/**
 * Inputs and outputs of all tasks of a run so far; rewarded prompts aside. Rebuilt from the stored tasks after a restart. As the original
 * counts, a task only has what its solvers look for, and the names of exceptions stand apart (azr_ray_trainer.py, add_input_batch and its
 * neighbours).
 */
export class AnswerCounters {
  readonly inputs = new DiversityCounter();
  readonly outputs = new DiversityCounter();
  /** Of the original's way only. */
  readonly errors = new DiversityCounter();
  readonly #isOriginal: boolean;

  constructor(rules: IntrinsicRules = {}) {
    this.#isOriginal = measuresAsOriginal(rules);
  }

  add(tasks: readonly Pick<TaskRecord, 'taskType' | 'origin' | 'inputs' | 'outputs'>[]): void {
    for (const { taskType, origin, inputs, outputs } of tasks) {
      if (origin === 'pressure') continue; // a rewarded prompt, as stored
      const sought = this.#isOriginal ? answerKind(taskType) : 'program';
      if (sought === 'input' || sought === 'program') for (const input of inputs) this.inputs.add(input);
      if (sought !== 'input') for (const output of outputs) this.#outputsOf(sought).add(output);
    }
  }

  /** Where the outputs of such tasks are counted. */
  outputsOf(taskType: CodeTaskType): DiversityCounter {
    return this.#outputsOf(this.#isOriginal ? answerKind(taskType) : 'program');
  }

  #outputsOf(sought: AnswerKind | null): DiversityCounter {
    return sought === 'name' ? this.errors : this.outputs;
  }

  /** As it stands, to be counted on without changing this one. */
  copy(): AnswerCounters {
    const copied = new AnswerCounters({ measures: this.#isOriginal ? 'azr-compat' : 'tokens' });
    for (const name of ['inputs', 'outputs', 'errors'] as const) copied[name].addAll(this[name]);
    return copied;
  }
}

/**
 * Cognitive complexity after SonarSource's definition, read from keywords and indentation: each branch, loop or handler
 * costs 1 plus its depth of nesting, each elif or else 1, each run of equal boolean operators 1. Comprehension clauses and
 * conditional expressions count as a branch at their line's depth. Close to, but not the same as, a tool that reads the tree.
 */
export function cognitiveComplexity(program: string): number {
  const lines = new Map<number, ProgramToken[]>();
  for (const token of tokenizeProgram(program)) {
    const line = lines.get(token.line);
    if (line === undefined) lines.set(token.line, [token]);
    else line.push(token);
  }
  const openIndents: number[] = [];
  let total = 0;
  for (const tokens of lines.values()) {
    const first = tokens[0] as ProgramToken;
    const indent = first.start - program.lastIndexOf('\n', first.start) - 1;
    while (openIndents.length > 0 && (openIndents.at(-1) as number) >= indent) openIndents.pop();
    let operator = '';
    for (const token of tokens) {
      if (token.kind !== 'name') continue;
      if (CONTINUING.has(token.text) && token === first) total += 1;
      else if (NESTING.has(token.text)) total += 1 + openIndents.length;
      else if ((token.text === 'and' || token.text === 'or') && token.text !== operator) total += 1;
      if (token.text === 'and' || token.text === 'or') operator = token.text;
    }
    if (NESTING.has(first.text) || CONTINUING.has(first.text)) openIndents.push(indent);
  }
  return total;
}

/**
 * 0.5·min(effort/10000, 1) + 0.3·min(cyclomatic/10, 1) + 0.2·min(volume/500, 1), rounded to 3 places: the original's score, with
 * Halstead's operators and operands counted over tokens (names, numbers and strings are operands; keywords and signs operators).
 */
function halsteadScore(tokens: readonly ProgramToken[]): number {
  const isOperator = (token: ProgramToken): boolean => token.kind === 'operator' || KEYWORDS.has(token.text);
  const operators = tokens.filter(isOperator);
  const operands = tokens.filter((token) => !isOperator(token));
  const distinct = (some: readonly ProgramToken[]): number => new Set(words(some)).size;
  const vocabulary = distinct(operators) + distinct(operands);
  const volume = vocabulary === 0 ? 0 : tokens.length * Math.log2(vocabulary);
  const difficulty =
    distinct(operands) === 0 ? 0 : (distinct(operators) / 2) * (operands.length / distinct(operands));
  const cyclomatic = 1 + tokens.filter((token) => token.kind === 'name' && DECISIONS.has(token.text)).length;
  const score =
    0.5 * Math.min((volume * difficulty) / 10_000, 1) +
    0.3 * Math.min(cyclomatic / 10, 1) +
    0.2 * Math.min(volume / 500, 1);
  return Math.round(score * 1000) / 1000;
}

function words(tokens: readonly ProgramToken[]): string[] {
  return tokens.map((token) => token.text);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How often each literal was an answer, by type. `surprise` is 1 for one never seen and falls as it becomes common. */
export class DiversityCounter {
  readonly #types = new Map<string, { counts: Map<string, number>; total: number }>();
  #total = 0;

  add(literal: string): void {
    const type = literalType(literal);
    const entry = this.#types.get(type) ?? { counts: new Map<string, number>(), total: 0 };
    entry.counts.set(literal, (entry.counts.get(literal) ?? 0) + 1);
    entry.total += 1;
    this.#types.set(type, entry);
    this.#total += 1;
  }

  /** Everything that another one has counted, to one that has counted nothing. */
  addAll(other: DiversityCounter): void {
    for (const [type, { counts, total }] of other.#types)
      this.#types.set(type, { counts: new Map(counts), total });
    this.#total = other.#total;
  }

  /** flat: 1 − count ÷ total over all types. hierarchical: mean of the type's surprise and the literal's surprise within its type. */
  surprise(literal: string, rule: 'flat' | 'hierarchical'): number {
    const entry = this.#types.get(literalType(literal));
    const count = entry?.counts.get(literal) ?? 0;
    if (rule === 'flat') return rarity(count, this.#total);
    return (rarity(entry?.total ?? 0, this.#total) + rarity(count, entry?.total ?? 0)) / 2;
  }

  /** Per type: how many different literals and how many in all. */
  byType(): ReadonlyMap<string, { unique: number; total: number }> {
    return new Map(
      [...this.#types].map(([type, { counts, total }]) => [type, { unique: counts.size, total }]),
    );
  }
}

function rarity(count: number, total: number): number {
  return total === 0 ? 1 : 1 - count / total;
}

/** Python's name for the type of a literal; call arguments of several values count as a tuple, and what is no literal as text. */
export function literalType(text: string): string {
  const read = parseLiteral(text, { extended: true });
  if (!read.ok) return 'str';
  return {
    n: 'NoneType',
    b: 'bool',
    i: 'int',
    f: 'float',
    z: 'complex',
    s: 'str',
    y: 'bytes',
    l: 'list',
    t: 'tuple',
    S: 'set',
    F: 'frozenset',
    d: 'dict',
  }[read.encoded[0]];
}
