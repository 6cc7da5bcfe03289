import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { type EvaluationState, Failure, type ItemGrade, type SandboxConfig } from '../../contract/index.ts';
import type { FoundUnits } from '../../core/index.ts';
import type { ExecuteProgram } from '../suites/suite.ts';
import type { AnyGradedSuite, GradingTools, ItemPlace } from '../suites/graded-suite.ts';
import { planSha256, type StoredEvaluation } from '../../store/index.ts';
import type { Trainer } from '../../models/index.ts';
import { limitsOf, startGrader, type RunnerClient } from '../../processes/index.ts';
import type { EvaluationServices } from '../services.ts';
import { eachAtOnce } from './at-once.ts';
import { type EvalRun, TimeShare } from './eval-run.ts';
import { withJudge } from '../judge-service.ts';
import type { EvalRequest } from '../plan/eval-request.ts';
import { loadingOf, type ResolvedSubject, withSubject, type SubjectSampler } from '../plan/subjects.ts';
import { askSuite, finishSuite } from './run-suite.ts';
import type { ModelJudge } from '../judges/ask.ts';
import type { MathsTools } from '../maths/grade.ts';

type ExecuteOptions = {
  /** Library name or path of the judge; null grades without one. */
  judge: string | null;
  seed: number;
  signal: AbortSignal;
  /** Begin again also where the same is stored. */
  again?: boolean;
  by?: Trainer;
  /** Ids of new evaluations; each call gives another. */
  newId: (weightsSha256: string) => string;
  /** An evaluation has begun, gone on or ended. */
  onChange?: (evaluation: StoredEvaluation) => void;
  /** Of an evaluation so much was done before. */
  onFound?: (units: Required<FoundUnits>) => void;
  /** An answer was generated. */
  onGenerated?: () => void;
  /** An answer was graded. */
  onGraded?: (byModel: boolean) => void;
};

/** Evaluations of one subject that are at work together: while the last answers of one are written or graded, the next is asked. */
const TOGETHER = 4;

/**
 * Has one subject answer what was prepared, and grades it. What is stored already is not asked again; what was cut off goes on. An
 * evaluation that cannot be carried out is marked failed, with its reason, and keeps no other from its end.
 * @returns as stored, in the order wanted. @throws the signal's reason when it is aborted, after each was marked as stopped.
 */
export async function execute(
  services: EvaluationServices,
  resolved: ResolvedSubject,
  wanted: readonly EvalRequest[],
  options: ExecuteOptions,
): Promise<StoredEvaluation[]> {
  const asksJudge = options.judge !== null && wanted.some(({ suite }) => suite.judgedBy !== undefined);
  const withJudgeIfAny = <T>(use: (judge: ModelJudge | null) => Promise<T>): Promise<T> =>
    asksJudge && options.judge !== null
      ? withJudge(services, options.judge, options.seed, resolved.config.policy, use)
      : use(null);
  const ids = new Map<EvalRequest, string>();
  const needsGrader = wanted.some(({ suite }) => suite.needs.maths);
  await withJudgeIfAny((judge) =>
    withGrader(services, needsGrader, (grader) =>
      withSubject(services, resolved, options.seed, options.by, async (open) => {
        const longest = ({ protocol }: EvalRequest): number => protocol.maxNewTokens;
        for (const group of Map.groupBy(wanted, (one) => loadingOf(resolved, longest(one))).values()) {
          await open(group.map(longest), (answering) =>
            executeGroup(
              services,
              resolved.config.sandbox,
              group,
              answering,
              { judge, maths: grader },
              options,
              ids,
            ),
          );
        }
      }),
    ),
  );
  return wanted.map((prepared) => services.store.requireStoredEvaluation(ids.get(prepared) ?? ''));
}

async function executeGroup(
  services: EvaluationServices,
  sandbox: SandboxConfig,
  group: readonly EvalRequest[],
  { sampler, weightsSha256 }: SubjectSampler,
  graders: Graders,
  options: ExecuteOptions,
  ids: Map<EvalRequest, string>,
): Promise<void> {
  const { store } = services;
  const { signal, onChange, onFound, onGenerated, onGraded } = options;
  const time = new TimeShare(() => services.clock.monotonicMs());
  const open = group.flatMap((prepared) => {
    const found = takeUpOrBegin(services, prepared, weightsSha256, options);
    ids.set(prepared, found.id);
    onFound?.({
      generated: store.listEvaluationPlaces(found.id).length,
      done: found.graded,
      judged: store.listGradesAsGraded(found.id).filter(({ grade }) => isOfModel(grade)).length,
    });
    return found.state === 'done' ? [] : [{ prepared, found }];
  });
  const runOf = async ({ prepared, found }: (typeof open)[number]): Promise<EvalRun> => {
    const { plan, suite, protocol, place, pack, context } = prepared;
    return {
      store,
      id: found.id,
      plan,
      suite,
      protocol,
      place,
      pack,
      context,
      sampler,
      signal,
      time,
      tools: await gradingTools(services, sandbox, suite, place, graders, signal),
      spentBefore: found.milliseconds,
      onGenerated: () => onGenerated?.(),
      onGraded: (grade) => onGraded?.(isOfModel(grade)),
    };
  };
  const end = ({ id, milliseconds }: StoredEvaluation, [state, why]: Ending): void => {
    store.setEvaluationState(id, state, why, milliseconds + time.of(id));
    onChange?.(store.requireStoredEvaluation(id));
  };
  /** What one evaluation fails at ends it and keeps no other from its end; what stops all is thrown. */
  const carry = (found: StoredEvaluation, work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => {
      if (!signal.aborted) end(found, ['failed', failedBy(error)]);
      if (signal.aborted || !(error instanceof Failure)) throw error;
    });
  const timed: (() => Promise<void>)[] = [];
  try {
    await eachAtOnce(open, TOGETHER, ({ prepared, found }) =>
      carry(found, async () => {
        const run = await runOf({ prepared, found });
        await askSuite(run);
        const finish = async (): Promise<void> => {
          const ended = await finishSuite(run);
          onChange?.(ended);
        };
        if (prepared.suite.timed) timed.push(() => carry(found, finish));
        else await finish();
      }),
    );
    // Where time decides verdicts, no answer is written meanwhile and no other suite is graded.
    for (const finish of timed) await finish();
  } finally {
    for (const { found } of open)
      if (store.requireStoredEvaluation(found.id).state === 'running') end(found, STOPPED);
  }
}

type Ending = readonly [Exclude<EvaluationState, 'done' | 'running'>, string];
const STOPPED: Ending = ['stopped', 'It was stopped; resuming goes on with the answers that are missing.'];

const failedBy = (error: unknown): string =>
  error instanceof Failure ? error.message : `It failed unexpectedly: ${(error as Error).message}`;

const isOfModel = ({ judge }: ItemGrade): boolean => judge?.kind === 'gguf';

/** The same evaluation where it is stored already, else a new one. */
function takeUpOrBegin(
  { store }: EvaluationServices,
  { plan, planned }: EvalRequest,
  weightsSha256: string,
  { again = false, newId, onChange }: ExecuteOptions,
): StoredEvaluation {
  const same = store.listStoredEvaluations({ planSha256: planSha256(plan, weightsSha256) });
  const cutOff = same.findLast(({ state }) => state === 'stopped' || state === 'failed');
  const done = again ? undefined : same.findLast(({ state }) => state === 'done');
  if (done !== undefined) return done;
  const id = cutOff?.id ?? newId(weightsSha256);
  if (cutOff === undefined) store.beginEvaluation({ id, plan, weightsSha256, planned });
  else store.setEvaluationState(id, 'running', null, cutOff.milliseconds);
  const begun = store.requireStoredEvaluation(id);
  onChange?.(begun);
  return begun;
}

/** Whoever decides what rules alone do not; null where no suite asks them. */
type Graders = { judge: ModelJudge | null; maths: MathsTools | null };

/** The sandbox is started for suites that execute programs, and only for those. */
export async function gradingTools(
  { children, lab }: Pick<EvaluationServices, 'children' | 'lab'>,
  sandbox: SandboxConfig,
  suite: AnyGradedSuite,
  place: ItemPlace,
  graders: Graders,
  signal: AbortSignal,
): Promise<GradingTools> {
  const runner = suite.needs.sandbox ? await children.runner(sandbox) : null;
  return {
    ...graders,
    place,
    expectedFolder: join(lab.root, 'expected'),
    processors: availableParallelism(),
    signal,
    execute:
      runner === null
        ? () => Promise.reject(new Error('This suite executes nothing.'))
        : executeWith(runner, sandbox),
    code: runner === null ? null : { runner, loadAverage: () => loadavg()[0] ?? 0 },
  };
}

/** The process that compares mathematics, where one is needed; it ends with `use`. */
export async function withGrader<T>(
  { resources, lab, clock }: EvaluationServices,
  needed: boolean,
  use: (grader: MathsTools | null) => Promise<T>,
): Promise<T> {
  if (!needed) return use(null);
  const grader = await startGrader({
    python: resources.python,
    moduleDir: resources.graderModule,
    logFile: join(lab.logs, 'grader.log'),
  });
  try {
    return await use({ grader, now: () => clock.monotonicMs() });
  } finally {
    await grader.close();
  }
}

/** Suites run model-written functions through the same sandbox as training does. */
function executeWith(runner: RunnerClient, sandbox: SandboxConfig): ExecuteProgram {
  const limits = limitsOf(sandbox);
  return async (program, calls) => {
    const result = await runner.run({
      program,
      entry: 'f',
      calls: calls.map((args) => ({ args })),
      limits,
    });
    return calls.map((_, index) => {
      const call = result.calls[index];
      if (call?.status === 'ok' && call.value !== undefined) return { value: call.value };
      const status = call === undefined || call.status === 'notRun' ? result.status : call.status;
      return { error: status === 'error' ? 'raised' : status };
    });
  };
}
