import {
  type AskedMessage,
  type DatasetKindName,
  type EvaluationJudge,
  type EvaluationProtocol,
  type EvaluationScore,
  type GradedItem,
  type ItemGrade,
  type SuiteChoice,
  type SuiteGroup,
  LOAD_AFFECTED,
} from '../../contract/index.ts';
import { type MemberResult, bootstrapMeanInterval, meanPassAtK, wilsonInterval } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { CodeTools } from '../code/values/compare.ts';
import type { DatasetPlace } from '../datasets/index.ts';
import type { ModelJudge } from '../judges/ask.ts';
import type { MathsTools } from '../maths/grade.ts';
import type { Answerer } from '../safety/hacking/dynamic.ts';
import type { ExecuteProgram } from './suite.ts';

/** One way of putting a suite's questions. `stops` end an answer and do not belong to it. */
export type SuiteProtocol = EvaluationProtocol & {
  /** For people, one sentence. */
  says: string;
  stops: readonly string[];
};

/** What a model is asked. `raw`: the only message is text to be continued as it stands, without a chat's frame. */
export type Question = { messages: AskedMessage[]; raw: boolean; stops: readonly string[] };

/** What stands in prompts besides the question. */
export type AskSetting = {
  pack: PromptPack;
  /** The supervision context; empty for the weights alone. */ context: string;
};

/** Where a suite's items lie: the folder of those that come with the program, and the imported set; `beside`: sets that grading needs besides, by kind. */
export type ItemPlace = {
  folder: string;
  dataset: DatasetPlace | null;
  beside: ReadonlyMap<string, DatasetPlace>;
};

/** What grading needs of the outside. Parts that a suite does not need may be missing. */
export type GradingTools = {
  execute: ExecuteProgram;
  /** Null where nothing is executed. */
  code: CodeTools | null;
  /** Null where no mathematics is compared. */
  maths: MathsTools | null;
  place: ItemPlace;
  judge: ModelJudge | null;
  /** Where expected outputs are kept. */
  expectedFolder: string;
  /** Processors of the machine: above so many waiting processes a time-out says little. */
  processors: number;
  signal: AbortSignal;
};

/** An answer as a suite grades it. */
export type Answer = { sample: number; text: string; finish: string };

/** What scores are made of: every answer's grade, without the texts. */
export type GradeRow = Pick<GradedItem, 'ordinal' | 'itemId' | 'sample'> & { grade: ItemGrade };

/**
 * A suite of questions, asked, graded and summed up. Bundled suites are made of `suites/<name>/`, those of imported data are one file
 * of `suites/imported/`; the registry lists both in the order of tables.
 */
export type GradedSuite<Item extends { id: string } = { id: string }> = {
  name: string;
  title: string;
  group: SuiteGroup;
  /** What the first score says: "share of restricted requests refused". */
  measures: string;
  better: EvaluationScore['better'];
  /** Of asking and grading; a change of either changes it. */
  version: string;
  /** Its items: a file or folder of the program, or the kind of data set that has to be imported. */
  source:
    | { kind: 'bundled'; file: string }
    | {
        kind: 'dataset';
        dataset: DatasetKindName;
        /** Kinds of sets that grading uses where they are there. */ beside?: readonly DatasetKindName[];
      };
  needs: SuiteChoice['needs'];
  hazardous: boolean;
  /** Part of the set that shows every kind of result on a fresh machine. */
  mini: boolean;
  /** The first one is meant unless another is asked for. */
  protocols: readonly [SuiteProtocol, ...SuiteProtocol[]];
  /** Whose verdicts the suite's are with this judge or without one; absent where no judge is asked in any case. */
  judgedBy?: (judge: ModelJudge | null) => EvaluationJudge;
  /** Time limits decide verdicts, so answers are graded while nothing else of ours is at work. */
  timed: boolean;
  /** Characters an item keeps in memory, where they are many; absent where they are few. */
  weight?: (item: Item) => number;
  read: (place: ItemPlace, signal: AbortSignal) => AsyncIterable<Item>;
  ask: (item: Item, protocol: SuiteProtocol, setting: AskSetting) => Question;
  /** What would have been right, for people; null where there is nothing of the kind. */
  target: (item: Item) => string | null;
  /** @throws what means that no answer can be graded: a broken sandbox, a damaged data set, the signal's reason. */
  grade: (item: Item, answer: Answer, protocol: SuiteProtocol, tools: GradingTools) => Promise<ItemGrade>;
  /** What the paper's aggregates take from it, by member name; `of`: items the suite has. Absent where it is no member of any. */
  members?: (rows: readonly GradeRow[], of: number) => Record<string, MemberResult>;
  /** For suites whose later questions depend on earlier answers: holds one item's conversation and grades it. `ask` and `grade` are not called then. */
  converse?: (
    item: Item,
    answer: Answerer,
    protocol: SuiteProtocol,
    tools: GradingTools,
  ) => Promise<{ asked: AskedMessage[]; text: string; grade: ItemGrade }>;
  /** The first one stands for the evaluation. Grades of partial evaluations come in too. */
  scores: (rows: readonly GradeRow[], seed: number) => EvaluationScore[];
};

/** A suite whose items are opaque to the rest of the program. */
export type AnyGradedSuite = GradedSuite<{ id: string }>;

/** A plain verdict. */
export function gradeOf(passed: boolean, method: string, rest: Partial<ItemGrade> = {}): ItemGrade {
  return {
    outcome: passed ? 'passed' : 'failed',
    score: null,
    method,
    reason: null,
    flags: [],
    judge: null,
    details: {},
    ...rest,
  };
}

/** A protocol of one answer per item. */
export const oneAnswer = ({
  name,
  temperature,
  maxNewTokens,
  says,
}: Pick<SuiteProtocol, 'name' | 'temperature' | 'maxNewTokens' | 'says'>): SuiteProtocol => ({
  name,
  version: '1',
  temperature,
  topP: 1,
  maxNewTokens,
  samples: 1,
  promptPack: null,
  stops: [],
  says,
});

/** One message of a user under a context, which ends by itself. */
export const userQuestion = (content: string, context: string): Question => ({
  messages: under(context, [{ role: 'user', content }]),
  raw: false,
  stops: [],
});

/** The messages of a question under a context, which comes first, as a system message. */
export function under(context: string, messages: readonly AskedMessage[]): AskedMessage[] {
  if (context === '') return [...messages];
  const [first, ...rest] = messages;
  if (first?.role === 'system')
    return [{ role: 'system', content: `${context}\n\n${first.content}` }, ...rest];
  return [{ role: 'system', content: context }, ...messages];
}

type Better = EvaluationScore['better'];

/** k of n with Wilson's 95 % interval. */
export function shareScore(name: string, hits: number, n: number, better: Better): EvaluationScore {
  const { low, high } = wilsonInterval(hits, n);
  return { name, value: n === 0 ? null : hits / n, low, high, unit: 'share', n, better, interval: 'wilson' };
}

const RESAMPLES = 2000; // the limits of a 95 % interval then move by less than a tenth of its width from seed to seed

/** Mean of values with a bootstrap interval over items; `n` items. */
export function meanScore(
  name: string,
  values: readonly number[],
  unit: EvaluationScore['unit'],
  better: Better,
  seed: number,
): EvaluationScore {
  if (values.length === 0)
    return { name, value: null, low: null, high: null, unit, n: 0, better, interval: null };
  // Where every share is 0, or every one 1, drawing again from them says nothing of others: Wilson's limits do.
  const [first] = values;
  if (unit === 'share' && (first === 0 || first === 1) && values.every((value) => value === first))
    return shareScore(name, first * values.length, values.length, better);
  const { low, high } = bootstrapMeanInterval(values, RESAMPLES, seed, 'score', name);
  return {
    name,
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    low,
    high,
    unit,
    n: values.length,
    better,
    interval: 'bootstrap',
  };
}

/** Whether an answer counts at all: what is unjudged never does. */
export const hasVerdict = ({ grade }: GradeRow): boolean => grade.outcome !== 'unjudged';
export const hasPassed = ({ grade }: GradeRow): boolean => grade.outcome === 'passed';

/** Share of answers that passed, among those that have a verdict. */
export function passedScore(
  name: string,
  rows: readonly GradeRow[],
  better: Better,
  passed: (row: GradeRow) => boolean = hasPassed,
): EvaluationScore {
  const judged = rows.filter(hasVerdict);
  return shareScore(name, judged.filter(passed).length, judged.length, better);
}

const KS = [1, 5, 10, 100];

/** pass@1 with one answer per item; with more, the unbiased pass@k for every k there are answers for, with bootstrap intervals over items. */
export function passAtKScores(
  rows: readonly GradeRow[],
  seed: number,
  passed: (row: GradeRow) => boolean = hasPassed,
  prefix = '',
): EvaluationScore[] {
  const judged = rows.filter(hasVerdict);
  const items = [...Map.groupBy(judged, ({ itemId }) => itemId).values()].map((answers) => ({
    n: answers.length,
    c: answers.filter(passed).length,
  }));
  const most = Math.min(...items.map(({ n }) => n));
  if (items.length === 0 || most === 1) return [passedScore(`${prefix}pass@1`, rows, 'higher', passed)];
  return KS.filter((k) => k <= most).map((k) => {
    const each = items.map((item) => meanPassAtK([item], k) ?? 0);
    return {
      ...meanScore(`${prefix}pass@${k}`, each, 'share', 'higher', seed),
      value: meanPassAtK(items, k),
    };
  });
}

/** How many grades carry a flag. */
export function flagScore(flag: string, rows: readonly GradeRow[]): EvaluationScore {
  return {
    name: flag,
    value: rows.filter(({ grade }) => grade.flags.includes(flag)).length,
    low: null,
    high: null,
    unit: 'count',
    n: rows.length,
    better: 'neither',
    interval: null,
  };
}

/** A number among a grade's details; null where there is none. */
export function detail(grade: ItemGrade, name: string): unknown {
  return grade.details[name] ?? null;
}

/** Flags of a time-out: while more processes wait than there are processors, it says little. */
export function loadFlags(timedOut: boolean, loadAverage: number, processors: number): string[] {
  return timedOut && loadAverage > processors ? [LOAD_AFFECTED] : [];
}

/** A grade after a person's word: what counts for scores with overrides. */
export function overridden(row: GradeRow, outcome: 'passed' | 'failed'): GradeRow {
  return { ...row, grade: { ...row.grade, outcome, flags: [...row.grade.flags, 'overridden'] } };
}

/** A suite as the aggregates count it: answers that passed, or that `counted` says, among those with a verdict. */
export function shareMember(
  rows: readonly GradeRow[],
  of: number,
  counted: (row: GradeRow) => boolean = hasPassed,
): MemberResult {
  const judged = rows.filter(hasVerdict);
  return {
    form: 'share',
    passed: judged.filter(counted).length,
    n: judged.length,
    of,
    unjudged: rows.length - judged.length,
  };
}
