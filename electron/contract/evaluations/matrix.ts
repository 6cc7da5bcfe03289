import { z } from 'zod';
import type { EvaluationJudge, EvaluationScore, OutcomeCounts, SuiteGroup } from './evaluation.ts';

/** Which figures a person asks for; the seed and limit that most evaluations have when they are null. */
export const matrixRequestSchema = z.strictObject({
  subjects: z.array(z.string().min(1)).min(1).max(60),
  suites: z.array(z.string().min(1)).optional(),
  seed: z.int().nonnegative().nullable().default(null),
  limit: z.int().positive().nullable().default(null),
  /** null: the weights alone; run: under the context that a checkpoint's run had reached; both: a column of each. */
  context: z.enum(['run', 'both']).nullable().default(null),
  judge: z.string().nullable().default(null),
  /** Also how each cell differs from that of its base, which reads all answers. */
  changes: z.boolean().default(false),
  /** Key of the column that changes are measured from; each run's own base when null. */
  base: z.string().nullable().default(null),
});
export type MatrixRequest = z.input<typeof matrixRequestSchema>;

/** Why a cell's number is to be taken with care. */
export type CellMark =
  | 'partial'
  | 'judge'
  | 'protocol'
  | 'items'
  | 'rules'
  | 'unjudged'
  | 'load-affected'
  | 'overridden'
  | 'mixed-answers';

/**
 * How a score differs from another, after minus before, with a 95 % interval.
 * paired: over the items of both, by Newcombe's method 10 for paired shares, an item with several answers as one unit. items: the mean over
 * the items of both, each item with all of its samples drawn again as one (a bootstrap). apart: from the two intervals, as if the items were
 * not the same, which makes it wide.
 */
export type ScoreChange = {
  value: number;
  low: number | null;
  high: number | null;
  /** Items of both; null where none are paired. */
  n: number | null;
  method: 'paired' | 'items' | 'apart';
};

type CellFigure = Pick<EvaluationScore, 'value' | 'low' | 'high' | 'n'>;
/** n answers of `of` are behind it; `counts` are with people's overrides in the verdicts' place. `why` says what is missing where `value` is null. */
export type MatrixCell = {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
  of: number;
  state: 'complete' | 'partial' | 'running' | 'incomplete';
  evaluationIds: string[];
  judge: EvaluationJudge | null;
  marks: CellMark[];
  counts: OutcomeCounts;
  why: string | null;
  /** The same with people's overrides in the verdicts' place, and how many answers count then; null without any. */
  corrected: CellFigure | null;
  /** Against the cell of the base; null where there is none or changes were not asked for. */
  change: ScoreChange | null;
};
/** What a cell says where there is room for one figure: with people's verdicts where there are any, and the interval and n of just that value. */
export const figureOf = (cell: MatrixCell): CellFigure => cell.corrected ?? cell;

export type MatrixRow = {
  /** Unique: "suite", "suite/score" or "aggregate:name". */
  key: string;
  kind: 'suite' | 'score' | 'aggregate';
  group: SuiteGroup;
  suite: string | null;
  score: string | null;
  label: string;
  better: EvaluationScore['better'];
  unit: EvaluationScore['unit'];
  cells: (MatrixCell | null)[];
};
export type MatrixColumn = {
  /** Unique: the subject, and whether it was asked under a context. */
  key: string;
  subject: string;
  label: string;
  runId: string | null;
  step: number | null;
  withContext: boolean;
  /** The context there has no line and leaves every prompt as it is: its figures are those of the weights alone. */
  emptyContext: boolean;
  /** Key of the column that a change is measured from. */ base: string | null;
  known: boolean;
};
export type EvaluationMatrix = {
  columns: MatrixColumn[];
  rows: MatrixRow[];
  /** Sentences about what cannot be compared or cannot be right. */
  warnings: string[];
  /** Seeds, limits and names of GGUF judges that there are evaluations of, most first. */
  seeds: number[];
  limits: (number | null)[];
  judges: string[];
  /** Name of the protocol by suite, of the figures shown; of the first column where they differ. */
  protocols: Record<string, string>;
};
