/**
 * Child: opens the lab in argv[2] once for every number in argv[4] ("5,70,5"), stores so many steps of run "k" each time and
 * closes it. Appends "N" to the file argv[3] when the commit of step N has returned: a promise that a power cut must not break.
 * With argv[5] = NORMAL the store's own choice of synchronous=FULL is undone behind its back.
 */
import { openSync, writeSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { openLab } from '../../../electron/store/index.ts';
import { makeCommit, makeConfig, makeInitial } from '../../electron/store/support/make-records.ts';

const [folder = '', ackFile = '', sessions = '', synchronous] = process.argv.slice(2);

if (synchronous === 'NORMAL') {
  const { pragma } = SqliteDatabase.prototype;
  SqliteDatabase.prototype.pragma = function weakened(
    this: SqliteDatabase.Database,
    text: string,
    options?: SqliteDatabase.PragmaOptions,
  ): unknown {
    // The store reads back what it set; it is told what it wants to hear.
    if (text === 'synchronous') return 2;
    return pragma.call(this, text === 'synchronous = FULL' ? 'synchronous = NORMAL' : text, options);
  };
}

const acknowledgements = openSync(ackFile, 'a');
let step = 0;
for (const steps of sessions.split(',').map(Number)) {
  const lab = await openLab(folder, { now: () => new Date() });
  if (lab.getRun('k') === null) {
    lab.createRun({ id: 'k', config: makeConfig('cut off'), folder: 'runs/k' });
    lab.putInitial('k', makeInitial());
  }
  for (const last = step + steps; step < last;) {
    step += 1;
    lab.commitStep('k', makeCommit(step));
    writeSync(acknowledgements, `${step}\n`);
  }
  lab.close();
}
