import { isDeepStrictEqual } from 'node:util';
import {
  Failure,
  type EvaluationEstimate,
  type EvaluationOrder,
  type EvaluationSummary,
  type Job,
} from '../contract/index.ts';
import { suitesNamed } from './registry.ts';
import type { StoredEvaluation } from '../store/index.ts';
import type { EvaluationServices } from './services.ts';
import { execute } from './run/execute.ts';
import {
  type AskedContext,
  estimateOf,
  planRequest,
  type EvalRequest,
  type Skipped,
  type SubjectPlan,
} from './plan/eval-request.ts';
import { judgeModel } from './judge-service.ts';
import { regrade } from './run/evaluate.ts';
import { resolveSubject, type ResolvedSubject } from './plan/subjects.ts';
import { listSummaries } from './results/compare.ts';
import type { JobHandle } from '../core/index.ts';

const KEEPS = 'It was stopped; the answers so far are kept, and resuming goes on with the others.';
/** A window reads the list again at each event; while answers come in, once a second is enough. */
const EMIT_EVERY_MS = 1000;

/** Evaluations that a person asked for, as jobs: begun, gone on with, graded again. What lasts is in the store after every answer. */
export class EvaluationService {
  readonly #services: EvaluationServices;
  /** Which job is at work on an evaluation. */
  readonly #atWork = new Map<string, string>();
  #next = 1;
  #emittedMs = -Infinity;

  constructor(services: EvaluationServices) {
    this.#services = services;
  }

  /** What an order comes to before it is given. Nothing is started. @throws Failure (exit code 2) for what nobody can mean. */
  async estimate(order: EvaluationOrder): Promise<EvaluationEstimate> {
    return estimateOf(this.#services.store, await this.plan(order), order.again);
  }

  /** What an order means, subject by subject, and what of it is not possible. Nothing is started. @throws Failure (exit code 2) for what nobody can mean. */
  async plan({
    subjects,
    suites,
    limit,
    seed,
    context,
    judge,
    protocols,
  }: EvaluationOrder): Promise<{ plans: SubjectPlan[]; skipped: Skipped[] }> {
    const found = suitesNamed(suites);
    const known = judge === null ? null : await judgeModel(this.#services, judge);
    const skipped: Skipped[] = [];
    const plans: SubjectPlan[] = [];
    for (const reference of subjects) {
      const resolved = await resolveSubject(this.#services, reference);
      const requests: EvalRequest[] = [];
      for (const suite of found) {
        try {
          if (known === null && suite.needs.judge === 'required')
            throw new Failure('noJudge', `"${suite.title}" needs a judge; choose a GGUF model.`, 2);
          const protocol = protocols[suite.name] ?? null;
          requests.push(
            await planRequest(
              this.#services,
              resolved,
              suite,
              { limit, seed, context: contextOf(this.#services, resolved, context), protocol, judge: known },
              judge,
            ),
          );
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          skipped.push({ subject: resolved.subject.id, suite: suite.name, why: error.message });
        }
      }
      plans.push({ resolved, requests, judge, seed });
    }
    return { plans, skipped };
  }

  /** Starts an order, holes only unless it says `again`. @throws Failure `nothingToEvaluate` (exit code 2) with the reason. */
  async start(order: EvaluationOrder): Promise<Job> {
    const { plans, skipped } = await this.plan(order);
    if (plans.every(({ requests }) => requests.length === 0)) {
      throw new Failure(
        'nothingToEvaluate',
        `Nothing of this can be evaluated: ${skipped
          .map(({ why }) => why)
          .filter((why, index, all) => all.indexOf(why) === index)
          .join(' ')}`,
        2,
      );
    }
    return this.#execute(plans, order.again);
  }

  /** Goes on with evaluations that were cut off. @throws Failure `otherItems`, `noEvaluation` (exit code 2) when one cannot be. */
  async resume(ids: readonly string[]): Promise<Job> {
    const plans: SubjectPlan[] = [];
    for (const id of ids) {
      const stored = this.#services.store.requireStoredEvaluation(id);
      if (this.#atWork.has(id))
        throw new Failure('evaluationAtWork', `Evaluation "${id}" is at work already.`, 2);
      if (stored.state === 'done') throw new Failure('evaluationDone', `Evaluation "${id}" is finished.`, 2);
      const plan = await this.#asBefore(stored);
      if (!isDeepStrictEqual(plan.requests[0]?.plan.answered, stored.plan.answered))
        throw new Failure(
          'otherItems',
          `Evaluation "${id}" cannot go on: answers are computed in another way now. Remove it and start a new one.`,
          2,
        );
      plans.push(plan);
    }
    return this.#execute(merged(plans), false);
  }

  /** Grades the answers again whose verdict the machine's load may have decided. The answers stay. */
  async rerun(id: string): Promise<Job> {
    const stored = this.#services.store.requireStoredEvaluation(id);
    const { requests, resolved } = await this.#asBefore(stored);
    const [one] = requests as [EvalRequest];
    return this.#services.jobs.start(
      {
        kind: 'evaluate',
        title: `Grade ${stored.counts.loadAffected} answers again: ${one.suite.title}`,
        unit: 'answer',
        total: stored.counts.loadAffected,
        keeps: KEEPS,
      },
      async (job) => {
        await regrade(this.#services, resolved.config.sandbox, one, stored, job);
        this.#emit(stored.plan.subject.runId);
      },
    );
  }

  /** Those that are running, stopped or failed, with the job that is at work on them. */
  unfinished(): { summary: EvaluationSummary; jobId: string | null }[] {
    return listSummaries(this.#services.store, { states: ['running', 'stopped', 'failed'] }).map(
      (summary) => ({
        summary,
        jobId: this.#atWork.get(summary.id) ?? null,
      }),
    );
  }

  /** @throws Failure `evaluationAtWork` (exit code 2) */
  remove(id: string): void {
    if (this.#atWork.has(id))
      throw new Failure('evaluationAtWork', `Evaluation "${id}" is at work; stop its job first.`, 2);
    const { plan } = this.#services.store.requireStoredEvaluation(id);
    this.#services.store.removeEvaluation(id);
    this.#emit(plan.subject.runId);
  }

  /** Tells whoever watches that evaluations changed. */
  changed(runId: string | null): void {
    this.#emit(runId);
  }

  #execute(plans: readonly SubjectPlan[], again: boolean): Job {
    const total = plans.reduce(
      (sum, { requests }) => sum + requests.reduce((part, { planned }) => part + planned, 0),
      0,
    );
    const [first] = plans;
    const count = plans.reduce((sum, { requests }) => sum + requests.length, 0);
    const title =
      count === 1
        ? `${first?.requests[0]?.suite.title}, ${first?.resolved.subject.label}`
        : `${count} evaluations of ${plans.length === 1 ? first?.resolved.subject.label : `${plans.length} models`}`;
    return this.#services.jobs.start(
      { kind: 'evaluate', title, unit: 'answer', total, keeps: KEEPS },
      (job) => this.#work(plans, again, job),
    );
  }

  /** One subject after the other. A subject that cannot answer keeps no other from its end; the job says so then. */
  async #work(plans: readonly SubjectPlan[], again: boolean, job: JobHandle): Promise<string[]> {
    const ids: string[] = [];
    const problems: string[] = [];
    for (const { resolved, requests, judge, seed } of plans) {
      if (requests.length === 0) continue;
      try {
        const stored = await execute(this.#services, resolved, requests, {
          judge,
          seed,
          signal: job.signal,
          again,
          newId: (weights) => this.#newId(weights),
          onFound: (units) => job.found(units),
          onGenerated: () => job.generated(1),
          onGraded: (byModel) => this.#graded(job, byModel),
          onChange: (evaluation) => this.#changed(job, evaluation),
        });
        ids.push(...stored.map(({ id }) => id));
        problems.push(
          ...stored.flatMap(({ state, problem, plan }) =>
            state === 'done' ? [] : [`${plan.suite}: ${problem ?? state}`],
          ),
        );
      } catch (error) {
        if (job.signal.aborted || !(error instanceof Failure)) throw error;
        problems.push(`${resolved.subject.label}: ${error.message}`);
      }
    }
    if (problems.length > 0) throw new Failure('evaluationFailed', problems.join(' '));
    return ids;
  }

  #graded(job: JobHandle, byModel: boolean): void {
    if (byModel) job.judged(1);
    job.advance(1);
    const now = this.#services.clock.monotonicMs();
    if (now - this.#emittedMs > EMIT_EVERY_MS) this.#emit(null);
  }

  #changed(job: JobHandle, { id, state, plan }: StoredEvaluation): void {
    if (state === 'running') this.#atWork.set(id, job.id);
    else this.#atWork.delete(id);
    this.#emit(plan.subject.runId);
  }

  #emit(runId: string | null): void {
    this.#emittedMs = this.#services.clock.monotonicMs();
    this.#services.emit({ kind: 'changed', what: 'evaluations', runId });
  }

  #newId(weightsSha256: string): string {
    return `eval-${this.#services.clock
      .now()
      .toISOString()
      .replaceAll(/[-:.TZ]/g, '')}-${weightsSha256.slice(0, 8)}-d${this.#next++}`;
  }

  /** The evaluation as it was begun, from the same data. */
  async #asBefore({ id, form, plan }: StoredEvaluation): Promise<SubjectPlan> {
    if (form === 1)
      throw new Failure(
        'evaluationState',
        `Evaluation "${id}" was stored by an earlier program and cannot be taken up; start a new one.`,
        2,
      );
    const [suite] = suitesNamed([plan.suite]);
    const resolved = await resolveSubject(this.#services, plan.subject.id);
    const judge = typeof plan.grader['judge'] === 'string' ? plan.grader['judge'] : null;
    const known = judge === null ? null : await judgeModel(this.#services, judge);
    if (plan.context !== null && plan.context.runId === null)
      throw new Failure(
        'noContext',
        `Evaluation "${id}" was asked under lines that are not stored; start a new one.`,
        2,
      );
    const context =
      plan.context === null ? null : { runId: plan.context.runId ?? '', step: plan.context.step ?? 0 };
    const requests = await planRequest(
      this.#services,
      resolved,
      suite!,
      { limit: plan.limit, seed: plan.seed, context, protocol: plan.protocol.name, judge: known },
      judge,
    );
    const differs =
      (
        [
          ['suiteVersion', 'the suite is graded by other rules'],
          ['source', 'its data set is another one'],
        ] as const
      ).find(([name]) => !isDeepStrictEqual(requests.plan[name], plan[name]))?.[1] ??
      (resolved.subject.sha256 === plan.subject.sha256 ? undefined : 'the model is another one');
    if (differs !== undefined)
      throw new Failure(
        'otherItems',
        `Evaluation "${id}" cannot go on: ${differs} now. Remove it and start a new one.`,
        2,
      );
    return { resolved, requests: [requests], judge, seed: plan.seed };
  }
}

/**
 * The context a checkpoint's run had reached by then; a model alone has none. One without a line leaves every prompt as it is, so it is
 * not asked a second time. @throws Failure `noContext` (exit code 2).
 */
function contextOf(
  { store }: Pick<EvaluationServices, 'store'>,
  { subject: { runId, step, label } }: ResolvedSubject,
  context: EvaluationOrder['context'],
): AskedContext {
  if (context === null) return null;
  if (runId === null || step === null)
    throw new Failure('noContext', `${label} belongs to no run, so it has no supervision context.`, 2);
  if (store.getContext(runId, step + 1)?.lines.length === 0)
    throw new Failure(
      'noContext',
      `The context of ${label} has no line, so with it the answers are those of the weights alone; it is not asked twice.`,
      2,
    );
  return { runId, step: step + 1 };
}

/** Evaluations of one subject under one judge and seed share a process. */
function merged(plans: readonly SubjectPlan[]): SubjectPlan[] {
  const groups = Map.groupBy(
    plans,
    ({ resolved, judge, seed }) => `${resolved.subject.id}\n${judge}\n${seed}`,
  );
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    requests: group.flatMap(({ requests }) => requests),
  }));
}
