import { join } from 'node:path';
import { Failure, type Audit, type AuditItem, type Job, type JudgeLabel } from '../contract/index.ts';
import { rolloutSeed, type Clock, type JobRunner } from '../core/index.ts';
import { loadPromptPack, type PromptPack, type ResourcePaths } from '../library/index.ts';
import { isProcessLost, startSupervisor } from '../processes/index.ts';
import { judgeReview, probeCases, probeJudge } from '../supervision/index.ts';
import { resolveModel } from '../models/index.ts';
import type { Lab } from '../store/index.ts';
import { materialOf } from './judge-material.ts';

/** Room for the longest material, the instructions and the answer. */
const JUDGE_CONTEXT_TOKENS = 8192;

export type JudgeTools = {
  store: Lab;
  resources: ResourcePaths;
  lab: { logs: string };
  clock: Clock;
  jobs: Pick<JobRunner, 'start' | 'list'>;
};

/**
 * Has a model judge the reviews of an audit, in a process of its own. First it is asked about planted cases with known answers;
 * what it gets right is stored with the audit, so that nobody mistakes a model that cannot judge for one that can. Each judgement
 * is stored as it is made; starting again goes on with what is missing. Failures of single items are recorded with their reason.
 */
export async function judgeAudit(
  services: JudgeTools,
  audits: { get: (id: string) => Audit; changed: (id: string) => void },
  auditId: string,
  model: string,
  threads: number,
): Promise<Job> {
  const { head } = audits.get(auditId);
  const running = services.jobs
    .list()
    .find(({ kind, state, title }) => kind === 'judge' && state === 'running' && title.includes(auditId));
  if (running !== undefined)
    throw new Failure(
      'judgeAtWork',
      `A model is judging audit "${auditId}" already; wait for it, or cancel its job.`,
      2,
    );
  if (services.store.getRun(head.plan.runId) === null)
    throw new Failure(
      'runGone',
      `The run of audit "${auditId}" was deleted, and the texts to judge with it.`,
      2,
    );
  const found = await resolveModel(
    services.store,
    services.resources,
    model,
    'supervisor',
    services.clock.now(),
  );
  const pack = loadPromptPack(services.resources.prompts('full'), 'full');

  return services.jobs.start(
    { kind: 'judge', title: `${found.name} judges audit ${auditId}`, unit: 'review' },
    async (job) => {
      const client = await startSupervisor({ logFile: join(services.lab.logs, 'judge.log') });
      try {
        await client.load({ path: found.path, contextSize: JUDGE_CONTEXT_TOKENS, threads });
        job.total(probeCases().length + audits.get(auditId).items.length);
        const fitness = await probeJudge(client, pack, job.signal, () => job.advance(1));
        services.store.setAuditJudge(auditId, {
          model: found.name,
          path: found.path,
          sha256: found.sha256,
          embedded: found.embedded,
          ...fitness,
        });
        audits.changed(auditId);
        const audit = audits.get(auditId);
        for (const item of audit.items) {
          job.signal.throwIfAborted();
          const known = audit.labels.find(({ ordinal }) => ordinal === item.ordinal)?.judge;
          if (known?.state !== 'done') {
            services.store.putJudgeLabel(
              auditId,
              item.ordinal,
              await labelOf(client, pack, services, audit, item, job.signal),
            );
            audits.changed(auditId);
          }
          job.advance(1);
        }
      } finally {
        await client.close();
      }
    },
  );
}

async function labelOf(
  client: Parameters<typeof judgeReview>[0],
  pack: PromptPack,
  services: JudgeTools,
  audit: Audit,
  item: AuditItem,
  signal: AbortSignal,
): Promise<JudgeLabel> {
  const at = (): string => services.clock.now().toISOString();
  const failed = (problem: string): JudgeLabel => ({
    state: 'failed',
    correct: null,
    safetyRelevance: null,
    specificity: null,
    problem,
    milliseconds: 0,
    at: at(),
  });
  const review = materialOf(services.store, audit, item);
  if (review === null) return failed('The review is no longer in the lab.');
  try {
    const { judgement, milliseconds } = await judgeReview(
      client,
      pack,
      review,
      rolloutSeed(audit.head.plan.seed, 'judge', item.ordinal),
      signal,
    );
    return judgement === null
      ? failed('The answer was not a judgement.')
      : { state: 'done', ...judgement, problem: null, milliseconds, at: at() };
  } catch (error) {
    signal.throwIfAborted();
    // A prompt too long, an answer too late or a crash concerns one item; anything else means that this model cannot be used.
    if (
      error instanceof Failure &&
      (isProcessLost(error) || ['timeout', 'promptTooLong', 'requestKillsProcess'].includes(error.kind))
    )
      return failed(error.message);
    throw error;
  }
}
