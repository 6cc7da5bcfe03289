import { existsSync } from 'node:fs';
import type { EvaluationSubject, SuiteChoice } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { takeEmbeddedModels } from '../../models/index.ts';
import { GRADED_SUITES } from '../registry.ts';
import type { EvaluationServices } from '../services.ts';
import type { AnyGradedSuite } from '../suites/graded-suite.ts';
import { secondsPerAnswer } from './eval-request.ts';
import { remadeId, remadeLabel } from './subjects.ts';
import { datasetStateOf, placeOfSuite } from './suite-data.ts';

type ChoiceServices = Pick<
  EvaluationServices,
  'store' | 'resources' | 'lab' | 'clock' | 'filesOf' | 'remadeOf'
>;

export type SubjectChoice = EvaluationSubject & {
  runName: string | null;
  /** The weights a run began with. */ base: boolean;
  /** Its files are there. */ kept: boolean;
  sample: boolean;
  evaluations: number;
};

/** The suites a person can choose, in the order of tables. */
export async function suiteChoices(services: ChoiceServices): Promise<SuiteChoice[]> {
  const all = services.store.listStoredEvaluations();
  return Promise.all(
    GRADED_SUITES.map(async (suite): Promise<SuiteChoice> => {
      const { name, title, group, measures, better, needs, hazardous, mini } = suite;
      return {
        name,
        title,
        group,
        measures,
        better,
        needs,
        hazardous,
        mini,
        ...(await sourceOf(services, suite)),
        secondsPerItem: secondsPerAnswer(all, name, null)?.seconds ?? null,
        protocols: suite.protocols.map(({ name: protocol, temperature, maxNewTokens, samples, says }) => ({
          name: protocol,
          temperature,
          maxNewTokens,
          samples,
          says,
        })),
      };
    }),
  );
}

async function sourceOf(
  services: ChoiceServices,
  suite: AnyGradedSuite,
): Promise<Pick<SuiteChoice, 'source' | 'items'>> {
  if (suite.source.kind === 'bundled')
    return { source: { kind: 'bundled' }, items: (await placeOfSuite(services, suite)).items };
  const { state, note, items } = datasetStateOf(services, suite.source.dataset);
  return { source: { kind: 'dataset', dataset: suite.source.dataset, state, note }, items };
}

/**
 * Whoever can be evaluated: models of the library first, then checkpoints of runs, newest run first.
 * @param sample the recorded sample; last, with what was evaluated of it and what was made again.
 */
export async function subjectChoices(
  services: ChoiceServices,
  sample: { store: Lab | null },
): Promise<SubjectChoice[]> {
  const { store, resources, clock, filesOf } = services;
  await takeEmbeddedModels(store, resources, clock.now());
  const counts = new Map<string, number>();
  for (const { plan } of store.listStoredEvaluations())
    counts.set(plan.subject.id, (counts.get(plan.subject.id) ?? 0) + 1);
  const models = store.listModels().map((model): SubjectChoice => ({
    id: `model:${model.name}`,
    kind: 'model',
    label: model.name,
    runId: null,
    step: null,
    model: model.name,
    format: model.format,
    sha256: model.sha256,
    runName: null,
    base: false,
    kept: existsSync(model.path),
    sample: false,
    evaluations: counts.get(`model:${model.name}`) ?? 0,
  }));
  const checkpoints = store.allRuns().flatMap(({ id, config }) =>
    store.listCheckpoints(id).map(({ step, weightsSha256 }): SubjectChoice => ({
      id: `${id}@${step}`,
      kind: 'checkpoint',
      label: `${config.name}, step ${step}`,
      runId: id,
      step,
      model: config.policy.model,
      format: 'safetensors',
      sha256: weightsSha256,
      runName: config.name,
      base: step === 0,
      kept: existsSync(filesOf(id).checkpoint(step)),
      sample: false,
      evaluations: counts.get(`${id}@${step}`) ?? 0,
    })),
  );
  return [
    ...models,
    ...checkpoints,
    ...(sample.store === null ? [] : sampleSubjects(sample.store, services, counts)),
  ];
}

/**
 * Of the sample: whoever has evaluations in its own store, then what this processor made with other weights than were recorded; both in the
 * order of runs and steps. `elsewhere` counts evaluations in the lab's store.
 */
function sampleSubjects(
  store: Lab,
  { filesOf, remadeOf }: Pick<ChoiceServices, 'filesOf' | 'remadeOf'>,
  elsewhere: ReadonlyMap<string, number>,
): SubjectChoice[] {
  const isKept = (runId: string, step: number): boolean =>
    store.listCheckpoints(runId).some((one) => one.step === step) &&
    existsSync(filesOf(runId).checkpoint(step));
  const subjects = Map.groupBy(
    store.listStoredEvaluations({ states: ['done'] }).map(({ plan }) => plan.subject),
    ({ id }) => id,
  );
  const recorded = [...subjects.values()]
    .map((own): SubjectChoice => ({
      ...own[0]!,
      runName: store.getRun(own[0]!.runId ?? '')?.config.name ?? null,
      base: own[0]!.step === 0,
      kept: isKept(own[0]!.runId ?? '', own[0]!.step ?? 0),
      sample: true,
      evaluations: own.length + (elsewhere.get(own[0]!.id) ?? 0),
    }))
    .sort((a, b) =>
      a.runId === b.runId ? (a.step ?? 0) - (b.step ?? 0) : (a.runId ?? '') < (b.runId ?? '') ? -1 : 1,
    );
  const remade = store.allRuns().flatMap(({ id: runId, config }) =>
    remadeOf(runId).map(({ step, weightsSha256 }): SubjectChoice => ({
      id: remadeId(runId, step),
      kind: 'checkpoint',
      label: remadeLabel(config.name, step),
      runId,
      step,
      model: config.policy.model,
      format: 'safetensors',
      sha256: weightsSha256,
      runName: `${config.name}, made again here with other weights`,
      base: step === 0,
      kept: true,
      sample: true,
      evaluations: elsewhere.get(remadeId(runId, step)) ?? 0,
    })),
  );
  return [...recorded, ...remade];
}
