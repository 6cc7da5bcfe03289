import {
  evaluationSummarySchema,
  gradedItemSchema,
  itemOverrideSchema,
  type EvaluationJudge,
  type EvaluationMatrix,
  type EvaluationSummary,
  type MatrixCell,
  type MatrixRow,
} from '../../../../electron/contract/index.ts';
import type { ExportedItem } from '../../../../electron/evaluation/export/inspect.ts';

export const NONE = {
  passed: 0,
  failed: 0,
  unjudged: 0,
  unanswered: 0,
  flagged: 0,
  loadAffected: 0,
  overridden: 0,
};
export const HASH = 'ab'.repeat(32);
export const JUDGE: EvaluationJudge = {
  kind: 'gguf',
  name: 'toy-judge',
  sha256: 'cd'.repeat(32),
  promptVersion: '2',
};

/** An evaluation as the store gives it, checked by the contract's schema. */
export function anEvaluation(
  changes: Partial<EvaluationSummary> = {},
  plan: Partial<EvaluationSummary['plan']> = {},
): EvaluationSummary {
  return evaluationSummarySchema.parse({
    id: 'eval-20260102-1',
    form: 2,
    createdAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '2026-01-02T03:05:05.000Z',
    state: 'done',
    problem: null,
    plan: {
      subject: {
        id: 'run-1@4',
        kind: 'checkpoint',
        label: 'First run, step 4',
        runId: 'run-1',
        step: 4,
        model: 'embedded',
        format: 'safetensors',
        sha256: HASH,
      },
      suite: 'hex-phi',
      group: 'safety',
      suiteVersion: '1',
      source: { dataset: 'hex-phi', sha256: HASH },
      protocol: {
        name: 'chat',
        version: '1',
        temperature: 0,
        topP: 1,
        maxNewTokens: 512,
        samples: 1,
        promptPack: 'compact',
      },
      context: null,
      judge: JUDGE,
      seed: 3,
      limit: null,
      items: 4,
      grader: { limits: { wallSeconds: 3 } },
      ...plan,
    },
    weightsSha256: HASH,
    planned: 4,
    graded: 4,
    counts: { ...NONE, passed: 1, failed: 1, unjudged: 1, unanswered: 1 },
    milliseconds: 60_000,
    scores: [
      {
        name: 'asr',
        value: 1 / 3,
        low: 0.06,
        high: 0.79,
        unit: 'share',
        n: 3,
        better: 'lower',
        interval: 'wilson',
      },
      {
        name: 'harmfulness',
        value: 2.5,
        low: 1,
        high: 4,
        unit: 'scale',
        n: 2,
        better: 'lower',
        interval: 'bootstrap',
      },
      {
        name: 'rate of fives',
        value: null,
        low: null,
        high: null,
        unit: 'share',
        n: 0,
        better: 'lower',
        interval: null,
      },
    ],
    corrected: null,
    ...changes,
  });
}

type ItemChanges = {
  outcome?: 'passed' | 'failed' | 'unjudged' | 'unanswered';
  text?: string;
  sample?: number;
  itemId?: string;
  score?: number | null;
  overriddenTo?: 'passed' | 'failed';
  reason?: string | null;
  target?: string | null;
  asked?: string;
};

export function anItem(
  ordinal: number,
  {
    outcome = 'passed',
    text = 'I cannot help with that.',
    sample = 0,
    itemId = `item-${ordinal}`,
    score = null,
    overriddenTo,
    reason = null,
    target = null,
    asked = 'How?',
  }: ItemChanges = {},
): ExportedItem {
  return {
    item: gradedItemSchema.parse({
      ordinal,
      itemId,
      sample,
      asked: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: asked },
      ],
      target,
      text,
      newTokens: 7,
      grade: {
        outcome,
        score,
        method: 'judge',
        reason,
        flags: [],
        judge: JUDGE,
        details: { extracted: 'no' },
      },
    }),
    override:
      overriddenTo === undefined
        ? null
        : itemOverrideSchema.parse({
            ordinal,
            outcome: overriddenTo,
            by: 'Mia',
            note: 'It did refuse.',
            at: '2026-02-01T00:00:00.000Z',
          }),
  };
}

export function aCell(changes: Partial<MatrixCell> = {}): MatrixCell {
  return {
    value: 0.5366,
    low: 0.387,
    high: 0.679,
    n: 41,
    of: 41,
    state: 'complete',
    evaluationIds: ['e1'],
    judge: null,
    marks: [],
    counts: NONE,
    why: null,
    corrected: null,
    change: null,
    ...changes,
  };
}

export function aRow(changes: Partial<MatrixRow> = {}): MatrixRow {
  return {
    key: 'rr',
    kind: 'suite',
    group: 'safety',
    suite: 'reward-hacking',
    score: null,
    label: 'Reward hacking resisted',
    better: 'higher',
    unit: 'share',
    cells: [aCell(), null],
    ...changes,
  };
}

export function aMatrix(
  rows: MatrixRow[],
  labels: string[] = ['base', 'run-1 step 4'],
  warnings: string[] = [],
): EvaluationMatrix {
  return {
    columns: labels.map((label, index) => ({
      key: `run-1@${index}`,
      subject: `run-1@${index}`,
      withContext: false,
      emptyContext: false,
      label,
      runId: 'run-1',
      step: index,
      base: null,
      known: true,
    })),
    rows,
    warnings,
    seeds: [1],
    limits: [null],
    judges: [],
    protocols: {},
  };
}

/** What agents and people may write. */
export const HOSTILE: Record<string, string> = {
  'control characters': 'a\u0000b\u0007c\u001bd\u007fe\u0085f',
  'half surrogate pairs': 'left \ud83d right \ude00 end \ud800',
  'a backslash before what looks like one': String.raw`\ud800 and \\ud800`,
  'line ends': 'one\ntwo\r\nthree\rfour\u2028five\u2029six',
  'CSV quotes': '","=1+1,"" \'";\r\n"',
  'a formula': '=HYPERLINK("http://evil.example","x")',
  'LaTeX commands': String.raw`\end{tabular}\input{/etc/passwd}\write18{rm -rf /} $x_1^2$ 50% & #1 {~}`,
  Markdown: '| a | **b** <img src=x onerror=alert(1)> [c](javascript:1) `d` &amp; ~~e~~ | $f$',
  'text that turns round': 'abc\u202efed\u2066x\u2069',
  'another script': '模型 الاختبار 🙂 é',
  'an end of script': '</script><script>alert(1)</script><!-- ]]>',
};
