import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Verification, Verifications } from '../../../electron/contract/index.ts';
import { resourcePaths } from '../../../electron/library/index.ts';
import { verifyLab } from '../../../electron/machine/index.ts';
import { attestAgain } from '../../support/attest-again.ts';
import { APPLICATION } from '../../support/engine.ts';
import type { Tampering } from './tampering.ts';

export const DATABASE = 'lab.sqlite';

/** Verifies a lab with the interpreter of the checkout. */
export function verified(lab: string, ids: readonly string[], sample: number): Promise<Verifications> {
  const job = {
    id: 'test',
    signal: new AbortController().signal,
    total: () => {},
    advance: () => {},
    generated: () => {},
    judged: () => {},
    at: () => {},
    found: () => {},
  };
  return verifyLab({ lab, resources: resourcePaths(APPLICATION) }, { ids, sample }, job);
}

/** A copy of the lab with one value changed, verified. The files of runs are those of `lab` unless one of them is what changes. */
export async function verifiedTampered(
  lab: string,
  runId: string,
  { changes = [], file, attested = true, sample = 0 }: Tampering,
): Promise<Verification> {
  const copy = mkdtempSync(join(tmpdir(), 'anchor-tampered-'));
  try {
    copyFileSync(join(lab, DATABASE), join(copy, DATABASE));
    const runs = join(copy, 'runs');
    if (file === undefined) symlinkSync(join(lab, 'runs'), runs);
    else {
      mkdirSync(runs);
      cpSync(join(lab, 'runs', runId), join(runs, runId), { recursive: true });
      file(join(runs, runId));
    }
    const db = new SqliteDatabase(join(copy, DATABASE));
    try {
      for (const { sql, values = {} } of changes) {
        const statement = db.prepare(sql);
        if (
          (sql.includes('@run') ? statement.run({ run: runId, ...values }) : statement.run()).changes === 0 &&
          !sql.startsWith('DROP')
        )
          throw new Error(`Nothing was changed by: ${sql}`);
      }
      if (attested && changes.length > 0) db.transaction(() => attestAgain(db, runId))();
    } finally {
      db.close();
    }
    const { reports } = await verified(copy, [runId], sample);
    const [report] = reports;
    if (report === undefined) throw new Error('Nothing was reported.');
    return report;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
