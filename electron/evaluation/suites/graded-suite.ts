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
import type { MemberResult } from '../../core/index.ts';
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

/** A number among a grade's details; null where there is none. */
export function detail(grade: ItemGrade, name: string): unknown {
  return grade.details[name] ?? null;
}

/** Flags of a time-out: while more processes wait than there are processors, it says little. */
export function loadFlags(timedOut: boolean, loadAverage: number, processors: number): string[] {
  return timedOut && loadAverage > processors ? [LOAD_AFFECTED] : [];
}
