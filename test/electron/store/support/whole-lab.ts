import type {
  AuditPlan,
  EvaluationPlanRecord,
  JudgeProbeAnswer,
  JudgeProbePlan,
  JudgeProbeResults,
  PersonLabel,
  SeedAttempt,
} from '../../../../electron/contract/index.ts';
import { openLab, type Lab, type StoredItem } from '../../../../electron/store/index.ts';
import { auditResults, drawAudit } from '../../../../electron/supervision/index.ts';
import { fillRun } from './in-lab.ts';
import {
  hex,
  makeCommit,
  makeConfig,
  makeContext,
  makeEvaluation,
  makeInitial,
  makeModel,
  steadyClock,
} from './make-records.ts';
import { TOY_PROTOCOL, toyPlan } from './toy-evaluation.ts';

const AT = '2026-01-01T00:00:00.000Z';

const plan = (seed: number, runId: string): EvaluationPlanRecord =>
  toyPlan(
    {
      id: `${runId}@2`,
      kind: 'checkpoint',
      label: `${runId}@2`,
      runId,
      step: 2,
      model: 'tiny',
      format: 'safetensors',
      sha256: hex('weights 2'),
    },
    hex('suite'),
    {
      protocol: { ...TOY_PROTOCOL, temperature: 0.7 },
      context: { hash: hex('context'), runId, step: 2 },
      seed,
      limit: 3,
      items: 3,
    },
  );

const answer = (ordinal: number, passed: boolean | null): StoredItem => ({
  ordinal,
  itemId: `i${ordinal}`,
  sample: 0,
  asked: [{ role: 'user', content: 'q' }],
  target: 'no',
  text: `answer ${ordinal}`,
  newTokens: 3,
  grade:
    passed === null
      ? null
      : {
          outcome: passed ? 'passed' : 'failed',
          score: 0.5,
          method: 'rules',
          reason: passed ? null : 'complied',
          flags: passed ? [] : ['load-affected'],
          judge: null,
          details: { n: ordinal },
        },
});

/** Of both forms, finished and stopped, with a person's word on one answer. */
function fillEvaluations(lab: Lab): void {
  lab.putEvaluation(makeEvaluation('first-form', 'a'));
  for (const [id, seed] of [
    ['finished', 1],
    ['stopped', 2],
  ] as const) {
    lab.beginEvaluation({ id, plan: plan(seed, 'a'), weightsSha256: hex('weights 2'), planned: 3 });
    lab.putEvaluationItems(id, [
      answer(0, true),
      answer(1, false),
      answer(2, id === 'finished' ? true : null),
    ]);
  }
  const share = { unit: 'share', better: 'higher', interval: 'wilson' } as const;
  lab.finishEvaluation(
    'finished',
    [{ name: 'passed', value: 2 / 3, low: 0.2, high: 0.9, n: 3, ...share }],
    10.5,
  );
  lab.putOverride('finished', { ordinal: 1, outcome: 'passed', by: 'a person', note: 'it refuses', at: AT });
  lab.setEvaluationState('stopped', 'stopped', 'somebody stopped it', 5.5);
  // Nothing was asked yet, so no row points to it.
  lab.beginEvaluation({ id: 'begun', plan: plan(3, 'a'), weightsSha256: hex('weights 2'), planned: 3 });
}

const label: PersonLabel = {
  state: 'done',
  decision: 'retry',
  safetyRisk: false,
  leaks: false,
  safetyRelevance: 50,
  actionability: 60,
  comment: 'so',
  seen: true,
  blind: true,
  seconds: 3,
  at: AT,
};

function fillAudits(lab: Lab): void {
  const auditPlan = (seed: number): AuditPlan => ({
    runId: 'a',
    fromStep: 1,
    toStep: 2,
    perPhase: 2,
    phases: ['task', 'plan'],
    seed,
  });
  for (const [id, seed] of [
    ['closed', 1],
    ['open', 2],
  ] as const) {
    const items = drawAudit(auditPlan(seed), lab.listAuditable('a', 1, 2));
    lab.createAudit({ id, plan: auditPlan(seed), wanted: 4, items });
    lab.setAuditJudge(id, {
      model: 'judge',
      path: '/m/judge.gguf',
      sha256: hex('judge'),
      embedded: false,
      probe: { asked: 12, right: 11 },
      fit: true,
    });
    lab.putPersonLabels(id, [{ ordinal: 0, label }]);
    lab.putJudgeLabel(id, 1, {
      state: 'done',
      correct: true,
      safetyRelevance: 10,
      specificity: 20,
      problem: null,
      milliseconds: 4,
      at: AT,
    });
  }
  lab.finishAudit('closed', auditResults(lab.getAudit('closed')!));
}

function fillProbes(lab: Lab): void {
  const share = { n: 1, hits: 1, share: 1, low: 0.2, high: 1 };
  const none = { phases: [], issues: [], kinds: [] };
  const results: JudgeProbeResults = {
    answered: 2,
    failed: 0,
    run: none,
    alone: none,
    computedAdds: [],
    position: null,
    length: null,
    leaks: share,
    again: { agreement: share, kappa: null },
    seconds: null,
  };
  for (const seed of [1, 2]) {
    const probePlan: JudgeProbePlan = {
      modelSha256: hex('judge'),
      version: 1,
      mode: 'closed',
      promptsSha256: hex('prompts'),
      itemsSha256: hex('items'),
      items: 2,
      phases: ['plan'],
      seed,
    };
    const { id } = lab.beginJudgeProbe('judge', probePlan);
    for (const pass of ['run', 'alone'] as const) {
      const said: JudgeProbeAnswer = {
        pass,
        ordinal: 0,
        status: 'done',
        issues: ['no_trace'],
        feedback: 'Trace it.',
        leaks: 0,
        asked: [],
        tokensIn: 4,
        tokensOut: 2,
        milliseconds: 3,
        at: AT,
      };
      lab.putJudgeProbeAnswer(id, said);
    }
    if (seed === 1) lab.finishJudgeProbe(id, results);
  }
}

/** Two questions, one of them removed again. */
function fillAsked(lab: Lab): void {
  for (const id of ['ask-1', 'ask-2'])
    lab.putAsked(
      {
        id,
        turn: 1,
        after: null,
        askedAt: AT,
        question: 'Can you water the plants?',
        settings: { temperature: 0.7, topP: 1, seed: 1, maxNewTokens: 64 },
        answers: [
          {
            subject: {
              id: 'model:tiny',
              kind: 'model',
              label: 'tiny',
              runId: null,
              step: null,
              model: 'tiny',
              format: 'safetensors',
              sha256: hex('tiny'),
            },
            weightsSha256: hex('tiny'),
            frame: 'none',
            context: null,
            messages: [{ role: 'user', content: 'Can you water the plants?' }],
            text: 'Sure.',
            newTokens: 1,
            finish: 'stop',
            problem: null,
            milliseconds: 5,
            firstTokenMs: 2,
          },
        ],
      },
      [[{ text: 'Sure.', probability: 0.9, alternatives: [{ text: 'No.', probability: 0.1 }] }]],
    );
  lab.removeAsked('ask-1');
}

/** A run whose first tasks the policy wrote, whose line of context loses a source, and of which one checkpoint was pruned. */
function fillOwnSeeds(lab: Lab): void {
  const attempt = (index: number): SeedAttempt => ({
    round: 1,
    index,
    taskType: 'deduction',
    user: 'Write a task.',
    text: `text ${index}`,
    finish: 'stop',
    newTokens: 4,
    reason: index === 0 ? null : 'no-program',
    task:
      index === 0
        ? { program: 'def f(x):\n    return x', inputs: ['1'], outputs: ['1'], message: null }
        : null,
  });
  lab.createRun({ id: 'b', config: makeConfig('own seeds'), folder: 'runs/b' });
  lab.setRunState('b', 'setting-up', null);
  lab.setRunModels('b', hex('policy'), hex('supervisor'));
  lab.putSeedRound('b', [attempt(0), attempt(1)]);
  lab.putInitial('b', makeInitial());
  for (const step of [1, 2, 3]) {
    const commit = makeCommit(step, 6);
    const { hash } = makeContext(step);
    if (step === 2)
      commit.nextContext.lines = commit.nextContext.lines.map((line) => ({
        ...line,
        reviewIds: line.reviewIds.slice(1),
      }));
    lab.commitStep('b', { ...commit, step: { ...commit.step, contextHash: hash } });
  }
  lab.markCheckpointPruned('b', 1);
  lab.setRunState('b', 'failed', 'the disk was full');
  lab.annotateRun('b', { tags: ['seeds'], notes: 'a note', archived: true });
}

/** A lab in which every table holds rows, at rest and sound; only evaluation `begun` waits for its first answer. */
export async function makeWholeLab(folder: string): Promise<void> {
  const lab = await openLab(folder, { now: steadyClock() });
  fillRun(lab, 'a', 2, 6);
  fillOwnSeeds(lab);
  lab.putModel(makeModel('tiny'));
  lab.setSetting('app.theme', 'dark');
  fillEvaluations(lab);
  fillAudits(lab);
  fillProbes(lab);
  fillAsked(lab);
  lab.close();
}
