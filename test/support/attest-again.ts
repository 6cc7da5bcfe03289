import type { Database } from 'better-sqlite3';
import { initialHash, stepHash } from '../../electron/evolution/loop/step-hash.ts';
import {
  initialStateSha256,
  runConfigSha256,
  stepCommitSha256,
} from '../../electron/store/audit-log/digests.ts';
import { CHAIN_START, eventHash } from '../../electron/store/audit-log/events.ts';
import { selectRun, selectStoredConfig } from '../../electron/store/runs/queries.ts';
import { selectInitialState, selectStepCommit } from '../../electron/store/steps/rows.ts';

type Row = { seq: number; at: string; run_id: string | null; kind: string; body: string };

/**
 * What somebody does who changed a value, can write the whole database and knows how it is hashed: step hashes, the digests in the
 * events and the chain of events are computed again, so that nothing but the change itself can be noticed.
 */
export function attestAgain(db: Database, runId: string): void {
  const run = selectRun(db, runId);
  const initial = selectInitialState(db, runId);
  if (run === null || initial === null) throw new Error(`Run ${runId} has not begun.`);
  let previous = initialHash(run.config, initial.context.hash, {
    weightsSha256: initial.checkpoints[0]?.weightsSha256 ?? '',
    supervisorSha256: run.supervisorSha256,
    tasks: initial.tasks,
  });
  const digests = new Map<number, object>();
  for (let step = 1; step <= run.committedSteps; step += 1) {
    const commit = selectStepCommit(db, runId, step);
    if (commit === null) throw new Error(`Step ${step} of ${runId} is not whole.`);
    previous = stepHash(['policy'], previous, commit, commit.step);
    db.prepare('UPDATE steps SET step_hash = ? WHERE run_id = ? AND step = ?').run(previous, runId, step);
    const hashed = { ...commit, step: { ...commit.step, stepHash: previous } };
    digests.set(step, {
      stepHash: previous,
      recordsSha256: stepCommitSha256(hashed, run.config.framework.name),
      contextHash: commit.step.contextHash,
      nextContextHash: commit.nextContext.hash,
      weightsSha256: commit.step.weightsSha256,
    });
  }
  const restated = ({ run_id, kind, body }: Row): object => {
    const said = JSON.parse(body) as Record<string, unknown>;
    if (run_id !== runId) return said;
    if (kind === 'run.created')
      return { ...said, configSha256: runConfigSha256(selectStoredConfig(db, runId)) };
    if (kind === 'run.initialised')
      return {
        ...said,
        recordsSha256: initialStateSha256(initial),
        contextHash: initial.context.hash,
        weightsSha256: initial.checkpoints[0]?.weightsSha256,
      };
    return kind === 'step.committed' ? { ...said, ...digests.get(said['step'] as number) } : said;
  };
  chainAgain(db, restated);
}

/** Hashes all events again, with what `restated` makes of each body. */
export function chainAgain(db: Database, restated: (event: Row) => object): void {
  db.exec('DROP TRIGGER events_are_never_changed');
  let prev = CHAIN_START;
  for (const row of db
    .prepare<[], Row>('SELECT seq, at, run_id, kind, body FROM events ORDER BY seq')
    .all()) {
    const body = restated(row);
    const { seq, at, run_id: runId, kind } = row;
    const hash = eventHash({ seq, at, runId, kind, body, prev });
    db.prepare('UPDATE events SET body = ?, prev = ?, hash = ? WHERE seq = ?').run(
      JSON.stringify(body),
      prev,
      hash,
      seq,
    );
    prev = hash;
  }
}
