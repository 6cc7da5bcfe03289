import {
  answerKind,
  CODE_TASK_TYPES,
  codeBatchName,
  type CodeTaskType,
  type PhaseItem,
  type RatedTaskType,
  rewardedBatchName,
  type TaskType,
  type TaskView,
} from '../../contract/index.ts';
import type { ParsedProgram } from '../facts/program-reader.ts';
import type { Gold } from '../leaks/leak-guard.ts';
import { EMPTY_ITEM, EMPTY_VIEW, execItem } from '../phase-items.ts';
import type { SupervisedItem } from '../review-batch.ts';
import type { Draw } from './draw.ts';
import { literalInStyle, type ProbeStyle } from './programs.ts';

/** What the sandbox says of a program with one input, as it would of a proposal. */
export type ProgramTruth = {
  valid: boolean;
  reason: string | null;
  parsed: ParsedProgram;
  /** The program printed from its syntax tree; null where it has none. */
  normalized: string | null;
  /** The value it returned for the input; null where it is no valid task. */
  output: string | null;
};

/** Checks a program in the sandbox exactly as a run validates a proposal. */
export type ProgramChecker = (program: string, input: string) => Promise<ProgramTruth>;

export type ItemLength = 'short' | 'long';

/** What one pair is made with. */
export type PairMaking = {
  draw: Draw;
  style: ProbeStyle;
  length: ItemLength;
  check: ProgramChecker;
  /** Counts the pairs of an issue, so that its kinds take turns. */
  turn: number;
};

/** Two items that differ in one thing: the first carries the issue, the second does not. */
export type Pair = { kind: string; carries: SupervisedItem; control: SupervisedItem };

/** Makes a pair whose truth was confirmed; null where chance made the two alike, so that another has to be drawn. */
export type PairMaker = (making: PairMaking) => Promise<Pair | null>;

export const stagesOf = (length: ItemLength): number => (length === 'short' ? 3 : 7);

/** The kind whose turn it is. */
export const kindAt = <Kind extends string>(kinds: readonly Kind[], turn: number): Kind =>
  kinds[turn % kinds.length] as Kind;

/** Tasks that show a program and its input and ask for the value. */
const TASK_TYPE = CODE_TASK_TYPES.find((name) => answerKind(name) === 'output') as CodeTaskType;

/** Items of a probe stand in no run. */
const STEP = 1;

/** A proposed program with what validation said of it. */
export function proposalItem(
  program: string,
  input: string,
  references: readonly string[],
  { valid, reason, parsed, output }: ProgramTruth,
): SupervisedItem {
  const task: TaskView = { ...EMPTY_VIEW, program, inputs: [input], references: [...references] };
  return {
    item: {
      ...EMPTY_ITEM,
      step: STEP,
      phase: 'task',
      batch: codeBatchName('propose', TASK_TYPE),
      role: 'proposer',
      taskType: TASK_TYPE,
      task,
      validity: { valid, reason },
    },
    parsed,
    golds: goldsOf(output),
  };
}

/** Work of a solver who was shown a program and its input. */
export function solutionItem(
  shown: { program: string; input: string; output: string | null },
  phase: 'plan' | 'thought' | 'output',
  written: Partial<Pick<PhaseItem, 'plan' | 'thought' | 'answer' | 'formatOk' | 'text'>>,
): SupervisedItem {
  return {
    item: {
      ...EMPTY_ITEM,
      step: STEP,
      phase,
      batch: codeBatchName('solve', TASK_TYPE),
      role: 'solver',
      taskType: TASK_TYPE,
      task: { ...EMPTY_VIEW, program: shown.program, inputs: [shown.input] },
      ...written,
    },
    golds: goldsOf(shown.output),
  };
}

/** An assistant's answer to a person's message. */
export function requestItem(taskType: RatedTaskType, request: string, answer: string): SupervisedItem {
  return {
    item: {
      ...EMPTY_ITEM,
      step: STEP,
      phase: 'output',
      batch: rewardedBatchName(taskType),
      role: 'assistant',
      taskType,
      task: { ...EMPTY_VIEW, request },
      answer,
    },
  };
}

export const execOf = (
  batch: string,
  role: string,
  taskType: TaskType,
  statistics: NonNullable<PhaseItem['statistics']>,
): SupervisedItem => ({ item: execItem(STEP, batch, role, taskType, statistics) });

const goldsOf = (output: string | null): Gold[] =>
  output === null ? [] : [{ kind: 'literal', text: output }];

/** A program and its input as an item shows them, with the value that it returns; null where it returns none. */
export async function shownProgram(
  { check, style }: PairMaking,
  program: string,
  input: string,
): Promise<{ program: string; input: string; output: string } | null> {
  const literal = literalInStyle(input, style);
  const { valid, output } = await check(program, literal);
  return valid && output !== null ? { program, input: literal, output } : null;
}
