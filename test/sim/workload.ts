import { join } from 'node:path';
import type { RunConfig } from '../../electron/contract/index.ts';
import type { Application } from './application.ts';
import type { History } from './history.ts';
import { inputFor, wrongInputFor, type Json, type Sensible } from './inputs.ts';
import type { Simulation } from './simulation.ts';
import { realFiles } from './system.ts';
import { NEVER_ANSWERED, NOT_ASKED, ONLY_WRONGLY, verbsOfTheRouter, type Verb } from './verbs.ts';
import type { Draws } from './world.ts';

type Place = {
  simulation: Simulation;
  draws: Draws;
  history: History;
  configs: readonly RunConfig[];
  application: Application;
};
/** Enough for a queue; more would only make every check of the lab longer. */
const MOST_RUNS = 5;

/** How often a verb is asked for beside the rest, each of which has REST: what moves runs comes most often. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'runs.start': 4,
  'runs.pause': 3,
  'runs.stop': 2,
  'runs.resume': 8,
  'runs.delete': 1,
  'runs.export': 1.5,
  'runs.branch': 0.2,
  'runs.flips': 0.3,
  'live.keepCheckpoint': 1,
  'lab.dropCheckpoints': 1,
  'library.importModel': 0.3,
  'library.remove': 0.4,
  'library.verify': 0.2,
  'evaluations.start': 1,
  'evaluations.evaluate': 0.3,
  'evaluations.resume': 0.5,
  'evaluations.exportItems': 0.2,
  'evaluations.compare': 0.3,
  'evaluations.estimate': 0.5,
  'evaluations.override': 0.3,
  'asking.ask': 1,
  'asking.cancel': 0.3,
  'asking.remove': 0.5,
  'asking.addToSuite': 0.4,
  'jobs.cancel': 1,
  'lab.backUp': 0.7,
  'lab.checkBackup': 0.5,
  'lab.restore': 1,
  'reviews.audits.create': 1,
  'reviews.audits.remove': 0.1,
  'runs.details': 1,
  'live.timeline': 1,
  'records.page': 1,
  'records.export': 0.2,
  'runs.rows': 1,
};
/** How often each verb of a room is asked for that is not named above: what it needs is seldom there. */
const WEIGHTS_OF_ROOMS: Readonly<Record<string, number>> = {
  reviews: 0.2,
  datasets: 0.15,
  demo: 0.25,
  tour: 0.25,
};
const REST = 0.08;
/** The share of inputs that the schema refuses. */
const WRONG_INPUTS = 0.15;

const VERBS = verbsOfTheRouter().filter(({ path }) => !Object.hasOwn(NOT_ASKED, path));
export const ASKED_VERBS: readonly string[] = VERBS.map(({ path }) => path);
export const ANSWERED_VERBS = ASKED_VERBS.filter(
  (path) => !Object.hasOwn(ONLY_WRONGLY, path) && !Object.hasOwn(NEVER_ANSWERED, path),
);
const weightOf = ({ path }: Verb): number =>
  WEIGHTS[path] ?? WEIGHTS_OF_ROOMS[path.split('.')[0] as string] ?? REST;
const TOTAL = VERBS.reduce((sum, verb) => sum + weightOf(verb), 0);

/** Asks for one thing, drawn; the history is told how it ended, unless the engine was killed meanwhile. */
export function askSomething(place: Place): void {
  const { simulation, draws, history } = place;
  let left = draws.next() * TOTAL;
  const verb = VERBS.find((one) => (left -= weightOf(one)) < 0) as Verb;
  const asked = requestFor(verb, place);
  if (asked === null) return;
  const { path } = verb;
  const life = simulation.deaths;
  simulation.world.trace(`verb: ${path}${asked.isWrong ? ', wrongly' : ''}`);
  const isOver = (): boolean => simulation.isKilled || simulation.deaths !== life;
  const { runId } = (asked.input ?? {}) as { runId?: string };
  const deletes = path === 'runs.delete' && !asked.isWrong ? runId : undefined;
  const hasFiles = deletes !== undefined && !history.emptied.has(deletes);
  if (deletes !== undefined) history.mayBeGone(deletes);
  if (path === 'lab.dropCheckpoints' && !asked.isWrong && runId !== undefined) history.halfDropped.add(runId);
  const answered = (answer: unknown): void => {
    // It has to travel: what is no JSON would not reach the window.
    JSON.stringify(answer);
    history.answered(path);
    if (asked.isWrong) history.violate(`"${path}" took an input that its schema refuses.`);
    if (path === 'runs.start') history.begun((answer as { id: string }).id, asked.input as RunConfig);
    if (path === 'runs.delete' && runId !== undefined) history.isGone(runId);
    if (path === 'lab.dropCheckpoints' && runId !== undefined) history.halfDropped.delete(runId);
  };
  const refused = (error: unknown): void => {
    history.refused(path, error);
    if (deletes !== undefined && hasFiles) history.isKept(deletes, error);
  };
  void Promise.resolve()
    .then(() => call(simulation, path, asked.input))
    .then(
      (answer) => isOver() || answered(answer),
      (error: unknown) => isOver() || refused(error),
    );
}

/** Null where nothing is to be asked. */
function requestFor(verb: Verb, place: Place): { input: unknown; isWrong: boolean } | null {
  const { path, input } = verb;
  const { draws, simulation, configs } = place;
  if (input === null) return { input: undefined, isWrong: false };
  const sensible: Sensible = (field) => valuesOf(field, path, place);
  if (Object.hasOwn(ONLY_WRONGLY, path) || draws.chance(WRONG_INPUTS)) {
    const wrong = wrongInputFor(input, draws, sensible);
    return wrong === null ? null : { ...wrong, isWrong: true };
  }
  if (path === 'runs.start') {
    // Its steps have to be those of an undisturbed run, and there is one of each of these.
    if (simulation.engine.store.listRuns({}, { limit: 500 }).rows.length >= MOST_RUNS) return null;
    return { input: draws.pick(configs), isWrong: false };
  }
  if (path === 'plan.probe') return { input: draws.pick(configs), isWrong: false };
  const made = inputFor(input, draws, sensible);
  // What no JSON Schema says, such as how two fields go together, it may miss; then it is a wrong input after all.
  return { input: made, isWrong: !input.safeParse(made).success };
}

function call({ verbs }: Simulation, path: string, input: unknown): Promise<unknown> {
  const verb = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], verbs);
  return (verb as (input: unknown) => Promise<unknown>)(input);
}

const SUITES = ['toy-choice', 'toy-memory', 'toy-arithmetic', 'no-such-suite'];

/** What fields of these names hold in the lab as it stands; mostly what is there, sometimes what is not. */
function valuesOf(field: string, path: string, { simulation, draws, application }: Place): readonly Json[] {
  const { store, jobs } = simulation.engine;
  const runs = (): string[] => store.listRuns({}, { limit: 500 }).rows.map(({ id }) => id);
  const evaluations = (): string[] => store.listStoredEvaluations().map(({ id }) => id);
  const questions = (): string[] => [
    ...store.listAsked(null, 20).map(({ id }) => id),
    ...simulation.engine.asking.open().map(({ id }) => id),
  ];
  const jobIds = (): string[] => jobs.list().map(({ id }) => id);
  const files = (): string[] => [
    simulation.folder,
    application.tasks,
    `${application.root}/resources/models/policy`,
    `${application.root}/resources/models/supervisor/supervisor.f16.gguf`,
    `${simulation.folder}/new-${draws.below(50)}`,
    `${simulation.folder}/nowhere/new`,
  ];
  const [room] = path.split('.') as [string];
  switch (field) {
    case 'runId':
    case 'runIds':
    case 'alone':
    case 'supervised': {
      if (path === 'reviews.audits.create') {
        const reviewed = runs().filter((id) => store.listAuditable(id, 1, 6).length > 0);
        if (reviewed.length > 0) return reviewed;
      }
      const ofSample = room === 'tour' ? simulation.engine.sample.store?.listRuns({}, { limit: 5 }).rows : [];
      return [...runs(), ...(ofSample ?? []).map(({ id }) => id), 'run-unknown'];
    }
    case 'id':
    case 'ids':
      if (room === 'asking') return questions();
      return room === 'jobs' ? jobIds() : room === 'evaluations' ? evaluations() : [];
    case 'before':
    case 'against':
      return evaluations();
    case 'after':
      if (room === 'asking') return [null, null, ...questions()];
      return room === 'evaluations' || path === 'runs.flips' ? evaluations() : [0, 1, 2];
    case 'jobId':
      return jobIds();
    case 'auditId':
      return runs().flatMap((id) => store.listAudits(id).map((audit) => audit.id));
    case 'recordId':
    case 'rolloutId':
      return runs()
        .flatMap((id) => store.listRollouts(id, 1).map((rollout) => rollout.id))
        .slice(0, 20);
    case 'subject':
    case 'subjects':
      return [...runs().map((id) => `${id}@${draws.below(4)}`), 'embedded-policy'];
    case 'suite':
    case 'suites':
      return SUITES;
    case 'model':
      return ['embedded-policy', 'embedded-supervisor', 'mine', 'unknown'];
    case 'name':
      return room === 'lab' ? backups(simulation) : ['policy', 'mine'];
    case 'from':
      return path === 'lab.restore' ? backups(simulation) : [0, 1];
    case 'set':
      return ['mine'];
    case 'ordinal':
    case 'step':
    case 'at':
      return [0, 1, 2, 3, 6];
    case 'fromStep':
      return [1, 1, 2];
    case 'toStep':
      return [2, 3, 6];
    case 'items':
      if (path === 'judges.probe') return [60];
      return [1, 2, 5];
    case 'limit':
      return [1, 2, 5];
    case 'threads':
      return [1];
    case 'cursor':
      return [null, 'no cursor'];
    case 'yaml':
      return ['name: written\nsteps: 2\n', 'steps: [', 'framework: {name: azr, batchSize: -1}\n'];
    case 'path':
    case 'folder':
    case 'target':
    case 'to':
      return files();
    default:
      return [];
  }
}

function backups({ lab }: Simulation): string[] {
  const folder = join(lab, 'backups');
  const there = realFiles.existsSync(folder) ? realFiles.readdirSync(folder) : [];
  return [...there.filter((name) => name.endsWith('.sqlite')).toSorted(), 'none.sqlite'];
}
