import {
  answerKind,
  batchSpec,
  type AgreementCounts,
  type BatchStatistics,
  type PhaseItem,
} from '../../contract/index.ts';
import { similarity } from '../../core/index.ts';
import {
  literalKind,
  claimIsLate,
  memoryAction,
  requestAction,
  type LiteralKind,
  type MemoryAction,
  type RequestAction,
} from './answer-reader.ts';
import { normalizedSource, readProgram, type ParsedProgram } from './program-reader.ts';
import { PLAIN_TYPES, possibleInputTypes, returnType, type PlainType } from './static-types.ts';
import { compactTrace, readPlan, type ReasoningFeatures } from './compact-trace.ts';

export type TaskFacts = {
  kind: 'task';
  /** Null when the proposal shows no program of its own. */
  parses: boolean | null;
  errorLine: number | null;
  valid: boolean | null;
  reason: string | null;
  imports: string[];
  steps: number;
  loop: boolean;
  /** Characters of the normalised source after the first line. */
  bodyLength: number;
  repeatsReference: boolean;
  /** Similarity to the nearest reference, 0 to 1; null without references. */
  nearestReference: number | null;
  inputs: number;
  distinctInputs: number;
  /** Of a question in words: its words, the share of its letters outside the Latin alphabet, and of its batch that is like it. */
  question?: { words: number; otherLetters: number; clusterShare: number | null };
};
export type PlanFacts = {
  kind: 'plan';
  /** Steps, type and loop the plan states in the compact form; null where it states none. */
  statedSteps: number | null;
  statedType: PlainType | null;
  statedLoop: boolean | null;
  steps: number | null;
  types: PlainType[];
  loop: boolean | null;
};
export type ThoughtFacts = { kind: 'thought' } & ReasoningFeatures;
export type OutputFacts =
  | { kind: 'literal'; formatOk: boolean; literal: LiteralKind; possible: PlainType[] | null }
  | { kind: 'program'; formatOk: boolean; parses: boolean; defines: boolean }
  | { kind: 'name'; formatOk: boolean; named: boolean }
  | { kind: 'expression'; formatOk: boolean; cutOff: boolean }
  | { kind: 'request'; formatOk: boolean; action: RequestAction }
  | { kind: 'memory'; formatOk: boolean; action: MemoryAction; late: boolean | null };
export type ExecFacts = {
  kind: 'exec';
  n: number;
  /** Share of code solutions that passed, or the mean solve rate of proposals; null where a pass rate says nothing (see `execFacts`). */
  passRate: number | null;
  invalidRate: number;
  formatFailureRate: number;
  timeoutRate: number;
  /** Where answers are judged by whether they agree: how many do, with what else is counted of such a batch. */
  agreement?: AgreementCounts & { rate: number | null };
};
export type ItemFacts = TaskFacts | PlanFacts | ThoughtFacts | OutputFacts | ExecFacts;

const FENCED = /```(?:python|py)?[ \t]*\n([\s\S]*?)\n?```/i;

/** Source of the first fenced program in an answer, or null. */
function fencedProgram(answer: string | null): string | null {
  return FENCED.exec(answer ?? '')?.[1] ?? null;
}

/**
 * Cheap facts about one item, computed from what the agent saw and wrote. There is no gold among the arguments, no program is
 * run, and nothing here states a right value. `parsed` is the runner's reading of the program under review.
 */
export function itemFacts(item: PhaseItem, parsed: ParsedProgram | null = null): ItemFacts {
  switch (item.phase) {
    case 'task':
      return taskFacts(item, parsed);
    case 'plan':
      return planFacts(item);
    case 'thought':
      return thoughtFacts(item);
    case 'output':
      return outputFacts(item, parsed);
    case 'exec':
      return execFacts(item);
  }
}

function taskFacts(
  { task, validity, taskType, clusterShare }: PhaseItem,
  parsed: ParsedProgram | null,
): TaskFacts {
  const inputs = task?.inputs ?? [];
  const own = answerKind(taskType) === 'program' ? null : (task?.program ?? null);
  const source = own === null ? '' : normalizedSource(own);
  const program = own === null ? null : readProgram(own, parsed);
  const references = (task?.references ?? []).map(normalizedSource);
  return {
    kind: 'task',
    parses: program?.ok ?? null,
    errorLine: program?.errorLine ?? null,
    valid: validity?.valid ?? null,
    reason: validity?.reason ?? null,
    imports: program?.imports ?? [],
    steps: program?.steps ?? 0,
    loop: program?.loop ?? false,
    bodyLength: source.split('\n').slice(1).join('').length,
    repeatsReference: own !== null && references.includes(source),
    nearestReference:
      own === null || references.length === 0
        ? null
        : Math.max(...references.map((other) => similarity(tokensOf(source), tokensOf(other)))),
    inputs: inputs.length,
    distinctInputs: new Set(inputs).size,
    ...(task?.question === undefined ? {} : { question: questionFacts(task.question, clusterShare) }),
  };
}

function questionFacts(
  question: string,
  clusterShare: number | undefined,
): NonNullable<TaskFacts['question']> {
  const letters = question.match(/\p{L}/gu) ?? [];
  const latin = question.match(/\p{Script=Latin}/gu) ?? [];
  return {
    words: (question.match(/\S+/g) ?? []).length,
    otherLetters: letters.length === 0 ? 0 : 1 - latin.length / letters.length,
    clusterShare: clusterShare ?? null,
  };
}

/** Tokens compared with a reference, about fifty lines; the distance is quadratic in them. */
const COMPARED_TOKENS = 300;
const tokensOf = (source: string): string[] => (source.match(/\w+|[^\w\s]/g) ?? []).slice(0, COMPARED_TOKENS);

/** The program a plan or thought is about: the one the agent saw, or the one it wrote. */
function programAtHand({ task, answer, taskType, role }: PhaseItem): string | null {
  if (answerKind(taskType) === 'program' && role === 'solver') return fencedProgram(answer);
  return task?.program ?? fencedProgram(answer);
}

function planFacts(item: PhaseItem): PlanFacts {
  const stated = readPlan(item.plan ?? '');
  const source = programAtHand(item);
  const program = source === null ? null : readProgram(source);
  return {
    kind: 'plan',
    statedSteps: stated.steps,
    statedType: stated.type,
    statedLoop: stated.loop,
    steps: program?.steps ?? null,
    loop: program?.loop ?? null,
    types: inputTypes(item, source),
  };
}

/** Types the input may have: that of a visible input, else what the program and a visible output allow. */
function inputTypes({ task }: PhaseItem, source: string | null): PlainType[] {
  const shown = plainType(task?.inputs[0] ?? task?.examples[0]?.input ?? null);
  if (shown !== null) return [shown];
  return source === null ? [...PLAIN_TYPES] : possibleInputTypes(source, plainType(task?.output ?? null));
}

function plainType(literal: string | null): PlainType | null {
  const kind = literal === null ? 'none' : literalKind(literal);
  return kind === 'int' || kind === 'list' || kind === 'str' ? kind : null;
}

function thoughtFacts({ task, taskType, thought, role }: PhaseItem): ThoughtFacts {
  const kind = answerKind(taskType);
  // Who is to write a program saw none; a proposer's thought may speak of drafts it dropped.
  const program = kind === 'program' || role === 'proposer' ? null : (task?.program ?? null);
  return {
    kind: 'thought',
    ...compactTrace(thought ?? '', {
      program,
      input: kind === 'output' || kind === 'name' ? (task?.inputs[0] ?? null) : null,
      mayRaise: kind === 'name',
    }),
  };
}

function outputFacts(item: PhaseItem, parsed: ParsedProgram | null): OutputFacts {
  const { taskType, formatOk, task } = item;
  const answer = item.answer ?? '';
  if (taskType === 'request') return { kind: 'request', formatOk, action: requestAction(answer) };
  if (taskType === 'memory')
    return { kind: 'memory', formatOk, action: memoryAction(answer), late: claimIsLate(task?.request ?? '') };
  const kind = answerKind(taskType);
  if (kind === 'expression') return { kind, formatOk, cutOff: item.cutOff === true };
  if (kind === 'name') return { kind, formatOk, named: PYTHON_NAME.test(literalText(answer).trim()) };
  if (kind === 'program') {
    const source = fencedProgram(answer);
    return {
      kind: 'program',
      formatOk,
      parses: source !== null && readProgram(source, parsed).ok,
      defines: /\bdef\s+f\s*\(/.test(source ?? ''),
    };
  }
  return {
    kind: 'literal',
    formatOk,
    literal: literalKind(literalText(answer)),
    possible: possibleAnswerTypes(item),
  };
}

/** One name, perhaps with a remark behind a colon. */
const PYTHON_NAME = /^[^\W\d]\w*(?::|$)/;

/** The literal of an answer: its last fenced block when it has one, else all of it. */
function literalText(answer: string): string {
  return [...answer.matchAll(/```[a-z]*[ \t]*\n([\s\S]*?)\n?```/gi)].at(-1)?.[1] ?? answer;
}

/** Types the answer may have by reading the visible program; null when reading tells nothing. */
function possibleAnswerTypes({ taskType, task }: PhaseItem): PlainType[] | null {
  if (!task?.program) return null;
  if (answerKind(taskType) === 'input') {
    const possible = possibleInputTypes(task.program, plainType(task.output));
    return possible.length === 0 || possible.length === PLAIN_TYPES.length ? null : possible;
  }
  const given = plainType(task.inputs[0] ?? null);
  const result = given === null ? null : returnType(task.program, given);
  return result === null || result === 'clash' ? null : [result];
}

/**
 * Rates of one batch. Proposal batches are judged by their mean solve rate, not by how many proposals were valid; rewarded
 * batches have no pass rate here, because what passes there is the misspecified rating, not accuracy.
 */
function execFacts({ statistics, batch }: PhaseItem): ExecFacts {
  const s: BatchStatistics = statistics ?? {
    n: 0,
    passed: 0,
    invalid: 0,
    formatFailures: 0,
    timeouts: 0,
    solveRateHistogram: [],
  };
  const share = (count: number): number => (s.n === 0 ? 0 : count / s.n);
  const estimated = s.solveRateHistogram.reduce((sum, count) => sum + count, 0);
  const weighted = s.solveRateHistogram.reduce((sum, count, bin) => sum + count * bin, 0);
  const solveRate = estimated === 0 ? null : weighted / estimated / (s.solveRateHistogram.length - 1);
  const { judgedBy } = batchSpec(batch);
  const agreeing = judgedBy === 'agreement';
  const rate = judgedBy === 'solve-rate' ? solveRate : share(s.passed);
  return {
    kind: 'exec',
    n: s.n,
    passRate: judgedBy === null || agreeing || s.n === 0 ? null : rate,
    invalidRate: share(s.invalid),
    formatFailureRate: share(s.formatFailures),
    timeoutRate: share(s.timeouts),
    ...(agreeing
      ? { agreement: { ...s.agreement, rate: estimated > 0 || s.n === 0 ? solveRate : share(s.passed) } }
      : {}),
  };
}
