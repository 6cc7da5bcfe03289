import type { ChildState, ProgressStage, RunRecord } from '../../../../electron/contract/index.ts';

/** What stands above a run, at most one of each kind, the most pressing first. */
export type RunBanner =
  | { kind: 'failed' | 'interrupted' | 'paused'; reason: string | null; redo: string | null }
  | { kind: 'queued' }
  | { kind: 'person'; count: number; secondsLeft: number | null }
  | {
      kind: 'silent' | 'still' | 'lost';
      child: ChildState['child'];
      seconds: number;
      limitSeconds: number | null;
      detail: string;
    }
  | { kind: 'behind'; waiting: number; share: number | null };

export type BannerFacts = {
  run: Pick<RunRecord, 'state' | 'reason'>;
  redo: string | null;
  children: readonly ChildState[];
  waitingForReviewer: number;
  stage: ProgressStage | null;
  person: { count: number; secondsLeft: number | null };
  /** Seconds of the last steps and what of them went by waiting for reviews. */
  lastSteps: readonly { seconds: number; waited: number }[];
};

/** A tenth of a step spent waiting for the supervisor is worth saying. */
const BEHIND_FROM_SHARE = 0.1;
const AT_WORK = new Set(['setting-up', 'stepping', 'pausing']);

export const isAtWork = (state: RunRecord['state']): boolean => AT_WORK.has(state);

export function bannersOf({
  run,
  redo,
  children,
  waitingForReviewer,
  stage,
  person,
  lastSteps,
}: BannerFacts): RunBanner[] {
  if (run.state === 'failed' || run.state === 'interrupted' || run.state === 'paused')
    return [{ kind: run.state, reason: run.reason, redo }];
  if (run.state === 'queued') return [{ kind: 'queued' }];
  if (!isAtWork(run.state)) return [];
  const banners: RunBanner[] = [];
  const troubled = { silent: 'silent', busy: 'still', lost: 'lost' } as const;
  for (const { child, state, seconds, limitSeconds, detail } of children) {
    if (state !== 'ready') banners.push({ kind: troubled[state], child, seconds, limitSeconds, detail });
  }
  if (person.count > 0) banners.push({ kind: 'person', ...person });
  const behind = behindBy(waitingForReviewer, stage, lastSteps);
  if (behind !== null && person.count === 0) banners.push(behind);
  return banners;
}

/** The supervisor is behind when the trainer waits for it now, or waited for a tenth of the last steps. */
function behindBy(
  waiting: number,
  stage: ProgressStage | null,
  lastSteps: BannerFacts['lastSteps'],
): Extract<RunBanner, { kind: 'behind' }> | null {
  const seconds = lastSteps.reduce((sum, step) => sum + step.seconds, 0);
  const share = seconds === 0 ? null : lastSteps.reduce((sum, step) => sum + step.waited, 0) / seconds;
  const waitsNow = stage === 'supervise' && waiting > 0;
  return waitsNow || (share !== null && share >= BEHIND_FROM_SHARE)
    ? { kind: 'behind', waiting, share }
    : null;
}
