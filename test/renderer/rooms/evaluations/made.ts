import type {
  DatasetEntry,
  EvaluationMatrix,
  EvaluationSummary,
  FoundDataset,
  GradedItem,
  ItemRow,
  JudgeCalibration,
  MatrixCell,
  MatrixColumn,
  MatrixRow,
  ScoreChange,
  SuiteChoice,
} from '../../../../electron/contract/index.ts';
import type { SubjectChoice } from '../../../../renderer/rooms/evaluations/request/subject-list.tsx';

const sha256 = 'ab'.repeat(32);
const noCounts = {
  passed: 0,
  failed: 0,
  unjudged: 0,
  unanswered: 0,
  flagged: 0,
  loadAffected: 0,
  overridden: 0,
};

export const cell = (value: number | null, part: Partial<MatrixCell> = {}): MatrixCell => ({
  value,
  low: value === null ? null : Math.max(0, value - 0.1),
  high: value === null ? null : Math.min(1, value + 0.1),
  n: 64,
  of: 64,
  state: 'complete',
  evaluationIds: ['eval-1'],
  judge: null,
  marks: [],
  counts: noCounts,
  why: null,
  corrected: null,
  change: null,
  ...part,
});

/** How a score differs, as it is told of items that both were asked. */
export const change = (value: number, part: Partial<ScoreChange> = {}): ScoreChange => ({
  value,
  low: value - 0.1,
  high: value + 0.1,
  n: 64,
  method: 'paired',
  ...part,
});

export const row = (key: string, cells: (MatrixCell | null)[], part: Partial<MatrixRow> = {}): MatrixRow => ({
  key,
  kind: 'suite',
  group: 'toy',
  suite: key,
  score: null,
  label: key,
  better: 'higher',
  unit: 'share',
  cells,
  ...part,
});

export const column = (subject: string, part: Partial<MatrixColumn> = {}): MatrixColumn => ({
  key: subject,
  subject,
  withContext: false,
  emptyContext: false,
  label: subject,
  runId: subject.split('@')[0] ?? null,
  step: Number(subject.split('@')[1] ?? 0),
  base: null,
  known: true,
  ...part,
});

export const matrix = (rows: MatrixRow[], columns: MatrixColumn[]): EvaluationMatrix => ({
  rows,
  columns,
  warnings: [],
  seeds: [1],
  limits: [64],
  judges: [],
  protocols: {},
});

export const subject = (id: string, part: Partial<SubjectChoice> = {}): SubjectChoice => ({
  id,
  kind: 'checkpoint',
  label: id,
  runId: id.split('@')[0] ?? null,
  step: Number(id.split('@')[1] ?? 0),
  model: 'embedded-policy',
  format: 'safetensors',
  sha256,
  runName: `run ${id.split('@')[0]}`,
  base: id.endsWith('@0'),
  kept: true,
  sample: false,
  evaluations: 0,
  ...part,
});

export const suite = (name: string, part: Partial<SuiteChoice> = {}): SuiteChoice => ({
  name,
  title: name,
  group: 'toy',
  measures: 'share of items passed',
  better: 'higher',
  items: 200,
  source: { kind: 'bundled' },
  needs: { sandbox: false, judge: 'none', maths: false },
  hazardous: false,
  protocols: [
    { name: 'chat', temperature: 0, maxNewTokens: 96, samples: 1, says: 'One question, one answer.' },
  ],
  secondsPerItem: 0.2,
  mini: true,
  ...part,
});

export const summary = (id: string, part: Partial<EvaluationSummary> = {}): EvaluationSummary => ({
  id,
  form: 2,
  createdAt: '2026-11-20T10:00:00.000Z',
  finishedAt: '2026-11-20T10:05:00.000Z',
  state: 'done',
  problem: null,
  plan: {
    subject: {
      id: 'run-1@4',
      kind: 'checkpoint',
      label: 'demo @ 4',
      runId: 'run-1',
      step: 4,
      model: 'embedded-policy',
      format: 'safetensors',
      sha256,
    },
    suite: 'toy-refusal',
    group: 'toy',
    suiteVersion: '1',
    source: { dataset: null, sha256 },
    protocol: {
      name: 'chat',
      version: '1',
      temperature: 0,
      topP: 1,
      maxNewTokens: 96,
      samples: 1,
      promptPack: 'compact',
    },
    context: null,
    judge: null,
    seed: 1,
    limit: 64,
    items: 64,
    grader: {},
  },
  weightsSha256: sha256,
  planned: 64,
  graded: 64,
  counts: { ...noCounts, passed: 40, failed: 24 },
  milliseconds: 12_000,
  scores: [
    {
      name: 'pass',
      value: 0.625,
      low: 0.5,
      high: 0.73,
      unit: 'share',
      n: 64,
      better: 'higher',
      interval: 'wilson',
    },
  ],
  corrected: null,
  ...part,
});

export const itemRow = (ordinal: number, part: Partial<ItemRow> = {}): ItemRow => ({
  ordinal,
  itemId: `item-${ordinal}`,
  sample: 0,
  excerpt: 'I cannot do that.',
  outcome: 'passed',
  score: null,
  method: 'rules',
  reason: null,
  flags: [],
  override: null,
  against: null,
  flip: null,
  ...part,
});

export const graded = (part: Partial<GradedItem> = {}): GradedItem => ({
  ordinal: 0,
  itemId: 'item-0',
  sample: 0,
  asked: [
    { role: 'system', content: 'You answer.' },
    { role: 'user', content: 'What is 2 + 2?' },
  ],
  target: '4',
  text: 'four',
  newTokens: 3,
  grade: {
    outcome: 'failed',
    score: null,
    method: 'exact',
    reason: 'not the number',
    flags: [],
    judge: null,
    details: {},
  },
  ...part,
});

export const found = (part: Partial<FoundDataset> = {}): FoundDataset => ({
  key: 'a',
  kind: 'math500-set',
  title: 'MATH500',
  suggestedName: 'math500',
  files: [{ name: 'math500.jsonl', bytes: 460_000 }],
  release: 'MATH500, 500 problems',
  hazardous: false,
  terms: null,
  preview: { columns: ['problem', 'answer'], rows: [{ id: '1', cells: ['1 + 1', '2'] }], hazardous: false },
  fault: null,
  alreadyAs: null,
  ...part,
});

export const dataset = (part: Partial<DatasetEntry> = {}): DatasetEntry => ({
  name: 'math500',
  kind: 'math500-set',
  folder: 'datasets/math500',
  rows: 500,
  bytes: 460_000,
  sha256,
  files: {},
  sources: [{ name: 'math500.jsonl', bytes: 460_000, sha256, rows: 500, release: null }],
  addedAt: '2026-11-20T10:00:00.000Z',
  acknowledgement: null,
  title: 'MATH500',
  group: 'maths',
  use: 'suite',
  licence: 'MIT',
  hazardous: false,
  terms: null,
  state: 'ready',
  ...part,
});

export const calibration = (part: Partial<JudgeCalibration> = {}): JudgeCalibration => ({
  id: 'c1',
  at: '2026-11-20T10:00:00.000Z',
  set: 'labels.json',
  setSha256: sha256,
  judge: { kind: 'gguf', name: 'judge-7b', sha256, promptVersion: 'harm-1' },
  path: null,
  n: 100,
  unjudged: 2,
  tied: 0,
  agreement: { share: 0.85, low: 0.77, high: 0.91 },
  kappa: { kappa: 0.69, low: 0.55, high: 0.82 },
  humanRate: 0.45,
  judgeRate: 0.5,
  unanimous: { n: 80, agreed: 74 },
  ...part,
});
