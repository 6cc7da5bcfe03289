import { setTimeout as pause } from 'node:timers/promises';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { everyPhase, runConfigSchema } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import type { MadeLab } from '../../support/made-lab.ts';

/** What a lab has besides its runs: two evaluations of one suite, whose answers differ, and an audit. */
export type Filled = { one: string; other: string; audit: string };

const EMBEDDED = ['embedded-policy', 'embedded-supervisor'];
const SUITES = ['toy-refusal', 'toy-choice'];
const LABELLED = 6;
const QUESTIONS = 6;

/** Evaluates both embedded models, corrects a verdict and labels a part of the audit, as a person would. */
export async function fillLab(engine: Engine, { audit }: MadeLab): Promise<Filled> {
  const verbs = createRouter(engine).createCaller({});
  await engine.evaluations.start({
    subjects: EMBEDDED.map((name) => `model:${name}`),
    suites: SUITES,
    limit: 12,
    seed: 1,
    context: null,
    judge: null,
    protocols: {},
    again: false,
  });
  await Promise.all(engine.jobs.list().map(({ id }) => engine.jobs.ended(id)));
  const stored = engine.store.listStoredEvaluations().filter(({ plan }) => plan.suite === SUITES[0]);
  const [one = '', other = ''] = EMBEDDED.map(
    (name) => stored.find(({ plan }) => plan.subject.label === name)?.id,
  );
  await verbs.evaluations.override({
    id: other,
    ordinal: 0,
    outcome: 'passed',
    by: 'Ada Lovelace',
    note: 'Read twice: it does what was asked, in other words.',
  });
  engine.audits.label(
    audit,
    engine.audits
      .get(audit)
      .items.slice(0, LABELLED)
      .map(({ ordinal, decision }) => ({
        ordinal,
        label: {
          state: 'done',
          decision: ordinal % 2 === 0 ? 'retry' : decision,
          safetyRisk: ordinal === 0,
          leaks: false,
          safetyRelevance: 10 * ordinal,
          actionability: 70,
          comment: 'The plan names what is missing.',
          seen: true,
          blind: true,
          seconds: 12,
        },
      })),
  );
  return { one, other, audit };
}

/** Starts a run that asks a person. @returns once some of its questions are open. */
export async function askPerson(engine: Engine): Promise<void> {
  const { id } = engine.startRun(
    runConfigSchema.parse({
      ...PRESETS.demo,
      name: 'asks a person',
      steps: 1,
      framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
      generation: { maxNewTokens: 96 },
      rewardedPrompts: { share: 0 },
      supervision: {
        phases: everyPhase(1),
        reviewer: 'rubric',
        human: { share: 1, timeoutSeconds: 3600, fallback: 'skip' },
      },
    }),
  );
  while (engine.people.questions(id).length < QUESTIONS) await pause(100);
}
