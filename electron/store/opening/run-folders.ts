import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { isFolder, namesIn } from '../../core/index.ts';
import { DELETED_IDS } from '../runs/queries.ts';
import { readAll, reader, sql } from '../sql.ts';
import { BACKUP_FOLDER } from './backup-folder.ts';

const RUNS = 'runs';
const asId = reader('run id', z.string(), (row: { id: string }) => row.id);

/** Folders of runs on the disk that the database knows nothing of. */
export function strangersIn(db: Database, folder: string): string[] {
  const known = new Set(readAll(db, asId, sql`SELECT id FROM runs`));
  return runFolders(folder).filter((name) => !known.has(name));
}

/** @throws Failure `labReplaced` where a lab would be made anew beside the runs of one that was there. */
export function requireNoRunsWithout(folder: string): void {
  const found = runFolders(folder);
  if (found.length === 0) return;
  throw new Failure(
    'labReplaced',
    `The folder ${join(folder, RUNS)} holds ${found.length} ${found.length === 1 ? 'run' : 'runs'}, but the lab's database is missing or empty: it or its log was lost. ` +
      `Put the database back, or the newest copy from ${join(folder, BACKUP_FOLDER)}; to begin a new lab, move the folder ${RUNS} away first.`,
  );
}

const runFolders = (folder: string): string[] => {
  const runs = join(folder, RUNS);
  return existsSync(runs)
    ? namesIn(runs)
        .filter((name) => isFolder(join(runs, name, 'checkpoints')))
        .toSorted()
    : [];
};

/** How files of steps are named in the folder of a run, and how far before the number in the name the step is that wrote them. */
const OF_STEPS: readonly { parts: string; name: RegExp; before: number }[] = [
  { parts: 'checkpoints', name: /^step-(\d+)$/, before: 0 },
  { parts: 'anchor', name: /^step(\d+)_.*\.json$/, before: 0 },
  // A step is stored with the context of the next one.
  { parts: 'anchor', name: /^context_(\d+)\.md$/, before: 1 },
];

/** The step that a file of a run is of, by its path below the run's folder; 0 where it is of none. */
export function stepOfFile(path: string): number {
  const [parts, name = ''] = path.split(/[\\/]/);
  const of = OF_STEPS.find((each) => each.parts === parts && each.name.test(name));
  return of === undefined ? 0 : Number(of.name.exec(name)?.[1]) - of.before;
}

/** A run of which its folder has files of more steps than the database. */
export type LostSteps = { runId: string; name: string; stored: number; found: number };

const asFollowed = reader(
  'run',
  z.strictObject({
    runId: z.string(),
    name: z.string(),
    folder: z.string(),
    stored: z.int(),
    begun: z.int(),
    takenOver: z.int(),
  }),
  (row: unknown) => row,
);

/**
 * Runs that went further than their database says, because its log or its newest pages were lost. A program that is killed leaves the
 * checkpoint of the step it was in, and what a run takes over of another one lies there before it is stored.
 */
export function lostStepsIn(db: Database, folder: string, runId?: string): LostSteps[] {
  const runs = readAll(
    db,
    asFollowed,
    sql`SELECT id AS runId, name, folder, committed_steps AS stored,
        EXISTS (SELECT 1 FROM checkpoints WHERE run_id = runs.id AND step = 0) AS begun,
        coalesce((SELECT max(json_extract(body, '$.step')) FROM events WHERE run_id = runs.id AND kind = 'run.branched'), 0) AS takenOver
      FROM runs WHERE state <> 'done' AND id NOT IN (${DELETED_IDS}) AND id = coalesce(${runId ?? null}, id)
      ORDER BY created_at, id`,
  );
  return runs.flatMap(({ folder: place, begun, takenOver, ...run }) => {
    const last = Math.max(run.stored, takenOver);
    const found = Math.max(
      ...['checkpoints', 'anchor'].map((part) =>
        lastStepIn(join(folder, place), part, part === 'checkpoints' ? last + begun : last),
      ),
    );
    return found > 0 ? [{ ...run, found }] : [];
  });
}

/** The last step after `known` that a part of a run's folder has files of, 0 for none. */
function lastStepIn(run: string, part: string, known: number): number {
  const place = join(run, part);
  let names: string[] = [];
  try {
    if (existsSync(place)) names = namesIn(place);
  } catch {
    // A closed folder keeps its own run from going on, no other.
  }
  const steps = names.map((name) => stepOfFile(join(part, name)));
  return steps.reduce((last, step) => (step > known ? Math.max(last, step) : last), 0);
}

/** What was lost of a run, and what can be done, as one sentence a person reads. */
export const saidOfLost = ({ runId, name, stored, found }: LostSteps): string =>
  `The database has ${stored} ${stored === 1 ? 'step' : 'steps'} of run "${name}" (${runId}), but its folder has files of step ${found}: ` +
  `what was stored after step ${stored} is lost, as when the database is copied without its log (lab.sqlite-wal). Nothing of that folder is deleted. ` +
  `Put both files back, or restore a backup; to go on without what was lost, ` +
  (stored === 0
    ? 'start a new run.'
    : `let a new run go on from step ${stored}, in the window or with "anchor resume ${runId} --from ${stored}".`);

/** Folders of runs that nobody knows, as one sentence a person reads. */
export const saidOfStrangers = (folder: string, names: readonly string[]): string =>
  `${names.length} ${names.length === 1 ? 'folder' : 'folders'} in ${join(folder, RUNS)} ${names.length === 1 ? 'belongs' : 'belong'} to no run of this lab ` +
  `(${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}): look for the database that knew ${names.length === 1 ? 'it' : 'them'} among the backups, or move ${names.length === 1 ? 'it' : 'them'} away.`;
