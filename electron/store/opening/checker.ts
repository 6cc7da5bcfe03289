/** The thread that reads whole databases; see check-thread.ts. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { doOrder } from '../../core/index.ts';
import { checkChain } from '../audit-log/events.ts';
import { integrityRepository } from '../audit-log/integrity.ts';
import { salvage } from '../salvage/salvage.ts';
import { atOneMoment } from '../sql.ts';
import type { BackupFacts, CheckOrder, CheckResults } from './check-thread.ts';
import { checkHeader, reading } from './database-file.ts';
import { firstDamage, type Watch } from './pages.ts';

/** All of `check` sees the file as it is at one moment. */
const checking = <T>(file: string, check: (db: Database) => T): T =>
  reading(file, (db) => {
    // The copies of indexes that a check makes are as large as these.
    db.pragma('temp_store = FILE');
    return atOneMoment(db, () => check(db));
  });

function backupFacts(file: string, watch: Watch): BackupFacts {
  const schema = checkHeader(file);
  if (schema === 'new')
    throw new Failure('notALab', `The file ${file} holds no lab; choose a file of a backups folder.`, 2);
  return checking(file, (db) => {
    const damage = firstDamage(db, watch);
    if (damage !== null)
      throw new Failure(
        'corrupt',
        `The backup ${basename(file)} is damaged (${damage}); check the disk, and every part of the lab in Settings, or with "anchor doctor".`,
      );
    const count = (table: 'runs' | 'steps'): number =>
      (db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
    const { count: events, head } = checkChain(db);
    return {
      schema,
      bytes: statSync(file).size,
      runs: count('runs'),
      steps: schema >= 2 ? count('steps') : 0,
      events,
      head,
    };
  });
}

const CHECKS: { [K in keyof CheckResults]: (file: string, watch: Watch, to: string) => CheckResults[K] } = {
  afterCrash: (file, watch) => checking(file, (db) => firstDamage(db, watch)),
  records: (file, watch) =>
    checking(file, (db) => ({
      damage: integrityRepository(db).checkIntegrity(watch),
      events: checkChain(db).count,
    })),
  backup: backupFacts,
  salvage: (file, watch, to) => salvage(file, to, () => new Date(), watch),
};

/** A change that is worth a message. */
const LEAST_SHARE = 0.002;

await doOrder<CheckOrder, unknown, number>(({ check, file, to }, say) => {
  let said = 0;
  const watch: Watch = (share) => {
    if (share - said < LEAST_SHARE) return;
    said = share;
    say(share);
  };
  return CHECKS[check](file, watch, to);
});
