import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { CHECKOUT } from '../engine/application.ts';
import type { Life } from '../engine/launch.ts';
import { storedRun } from '../engine/short-run.ts';
import type { ShimSettings } from '../shim/shim.ts';
import type { Fault, Outcome, Stage } from './fault.ts';
import { untilEvents } from './supervisor-faults.ts';

const goesOn: Outcome = { kind: 'goesOn' };
const stops = (sentence: RegExp): Outcome => ({ kind: 'stops', sentence });
const refused = (sentence: RegExp): Outcome => ({ kind: 'refused', sentence });

/** The engine's own writes fail. `at` counts the operations that match. */
const engineDisk = (
  name: string,
  settings: Omit<ShimSettings, 'under'>,
  outcome: Outcome,
  rest: Partial<Fault> = {},
): Fault => ({
  name: `disk: ${name}`,
  how: `${settings.fail?.error ?? ''} from the disk shim`,
  outcome,
  arrange: ({ shim }) => ({ environment: shim(settings) }),
  ...rest,
});

const full = (at: number, count = 0): ShimSettings['fail'] => ({ at, count, error: 'ENOSPC' });

const clock = (name: string, at: number, seconds: number, rest: Partial<Fault> = {}): Fault => ({
  name: `clock ${name}`,
  how: `the wall clock moves by ${seconds} s at the engine's ${at}th change of a file`,
  outcome: goesOn,
  arrange: ({ shim }) => ({ environment: shim({ jump: { at, seconds } }) }),
  ...rest,
});

/** Something happens to a lab between two steps, while no program has it open. */
const between = (
  name: string,
  how: string,
  outcome: Outcome,
  spoil: (stage: Stage) => void,
  rest: Partial<Fault> = {},
): Fault => ({
  name,
  how,
  from: 'half',
  outcome,
  arrange: (stage) => {
    spoil(stage);
    return {};
  },
  ...rest,
});

const statement =
  (sql: string) =>
  ({ lab }: Stage): void => {
    const db = new SqliteDatabase(join(lab, 'lab.sqlite'));
    const trigger = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'",
      )
      .all();
    for (const { name } of trigger) db.exec(`DROP TRIGGER ${name}`);
    db.exec(sql);
    // Put back, so that only the content tells.
    for (const { sql: made } of trigger) db.exec(made);
    db.close();
  };

const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
};

/** Another program holds the database's write lock for so long, from the first event of the run on. */
const locked =
  (milliseconds: number) =>
  (stage: Stage) =>
  async (life: Life): Promise<void> => {
    await untilEvents(life, 1);
    const db = new SqliteDatabase(join(stage.lab, 'lab.sqlite'), { timeout: 10_000 });
    db.exec('BEGIN IMMEDIATE');
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      life.ended,
      new Promise((resolve) => {
        timer = setTimeout(resolve, milliseconds);
      }),
    ]);
    clearTimeout(timer); // it would keep this program from ending
    db.exec('ROLLBACK');
    db.close();
  };

export const LAB_FAULTS: Fault[] = [
  engineDisk(
    'no room for the log of the database',
    { match: ['lab.sqlite-wal$'], kinds: 'W', fail: full(120) },
    stops(/disk that holds .* is full|disk failed/),
    { full: true },
  ),
  engineDisk(
    'no room to make the database',
    { match: ['lab.sqlite'], fail: full(2) },
    stops(/is full|cannot be opened|disk failed/),
  ),
  engineDisk(
    'no room to copy the log into the database',
    { match: ['lab.sqlite$'], kinds: 'W', fail: full(70) },
    stops(/is full|disk failed/),
  ),
  engineDisk(
    'the log cannot be synced',
    { match: ['lab.sqlite-wal$'], kinds: 'S', fail: { at: 6, count: 0, error: 'EIO' } },
    stops(/The disk failed while the lab database/),
  ),
  engineDisk(
    'no room for the lock',
    { match: ['anchor.lock'], fail: full(1) },
    stops(/is full|cannot be opened|disk failed/),
  ),
  engineDisk(
    'no room for step files',
    { match: ['/anchor/'], fail: full(1) },
    stops(/The export .* could not be written: ENOSPC.*the database is unaffected/),
    { full: true },
  ),
  engineDisk(
    'step files cannot get their names',
    { match: ['/anchor/'], kinds: 'R', fail: { at: 1, count: 0, error: 'EIO' } },
    stops(/The export .* could not be written: EIO/),
  ),
  engineDisk(
    "no room for a run's folder",
    { match: ['/runs/'], kinds: 'C', fail: full(1) },
    stops(/is full|could not be made/),
  ),
  engineDisk('no room for logs', { match: ['/logs/', 'trainer.log'], fail: full(1) }, goesOn),
  {
    name: 'disk: no room for an export',
    how: 'ENOSPC from the disk shim for the export',
    from: 'half',
    outcome: stops(/export .* (is full|could not be written)/),
    arrange: ({ lab, shim }) => ({
      environment: {
        ...shim({ match: ['lab.export'], kinds: 'W', fail: full(9) }),
        ANCHOR_SHIM_UNDER: `${lab}.export`,
      },
      what: (what) => ('resume' in what ? { export: what.resume } : what),
    }),
  },
  {
    name: 'disk: too small for a run',
    how: 'a memory disk of 20 MB',
    root: true,
    outcome: stops(/needs about .* MB in .*, but only .* MB are free/),
    arrange: ({ lab }) => {
      mkdirSync(lab);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', lab]);
      let mounted = true;
      return {
        repair: () => {
          if (mounted) execFileSync('umount', [lab]);
          mounted = false;
        },
      };
    },
  },
  {
    name: 'lab folder is read-only',
    how: 'a memory disk mounted read-only',
    root: true,
    outcome: stops(/lab folder .* cannot be (written|used)/),
    arrange: ({ lab }) => {
      mkdirSync(lab);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', lab]);
      let mounted = true;
      return {
        repair: () => {
          if (mounted) execFileSync('umount', [lab]);
          mounted = false;
        },
      };
    },
  },
  clock('jumps a day forwards', 150, 86_400, { full: true }),
  clock('jumps a day backwards', 150, -86_400),
  clock('is set to 1970', 1, -1_780_000_000),
  clock('jumps a thousand years', 200, 31_557_600_000),
  {
    name: 'database is locked for two seconds',
    how: 'another connection in a write transaction',
    outcome: goesOn,
    arrange: (stage) => ({ during: locked(2000)(stage) }),
  },
  {
    name: 'database stays locked',
    how: 'another connection in a write transaction',
    outcome: stops(/Another program holds the lab database/),
    arrange: (stage) => ({ during: locked(600_000)(stage) }),
  },
  {
    name: 'a second engine wants the same lab',
    how: 'the command line beside a run at work',
    outcome: goesOn,
    arrange: ({ lab }) => ({
      during: async (life) => {
        await untilEvents(life, 1);
        const words = (() => {
          try {
            return execFileSync(
              process.execPath,
              [join(CHECKOUT, 'electron/cli/anchor.ts'), '--lab', lab, 'run'],
              { encoding: 'utf8', stdio: 'pipe' },
            );
          } catch (error) {
            return (error as { stderr: string }).stderr;
          }
        })();
        if (!/Process \d+ .*has the lab .* open/.test(words)) life.process.kill('SIGTERM');
      },
    }),
  },
  {
    name: 'Ctrl-C in the middle of a step',
    how: 'SIGINT to the command line',
    outcome: stops(/stopping; press Ctrl-C again/),
    full: true,
    arrange: ({ lab }) => ({
      door: 'cli',
      during: async (life) => {
        while (!life.hasEnded() && storedRun(lab)?.state !== 'stepping')
          await new Promise((resolve) => {
            setTimeout(resolve, 100);
          });
        life.process.kill('SIGINT');
      },
    }),
  },
  between(
    'checkpoint is deleted between steps',
    'its folder removed',
    refused(/is not a checkpoint|has no trainer\.json/),
    ({ run }) => rmSync(join(run(), 'checkpoints/step-00001'), { recursive: true }),
  ),
  between(
    'checkpoint is changed between steps',
    'one bit of its weights flipped',
    refused(/The checkpoint .* is corrupt/),
    ({ run }) => flip(join(run(), 'checkpoints/step-00001/model.safetensors'), 100_000),
    { full: true },
  ),
  between(
    'checkpoint is cut off between steps',
    'its optimizer file truncated',
    refused(/The checkpoint .* is corrupt/),
    ({ run }) => truncateSync(join(run(), 'checkpoints/step-00001/optimizer.safetensors'), 5000),
  ),
  between(
    'an older checkpoint is put in place of the last',
    'the folder of step 0 under the name of step 1',
    refused(/The checkpoint .* is not the one that was stored with step 1/),
    ({ run }) => {
      rmSync(join(run(), 'checkpoints/step-00001'), { recursive: true });
      cpSync(join(run(), 'checkpoints/step-00000'), join(run(), 'checkpoints/step-00001'), {
        recursive: true,
      });
    },
  ),
  between('the policy a run started from is gone', 'the model folder emptied', goesOn, ({ application }) =>
    rmSync(join(application.ownModels(), 'policy'), { recursive: true }),
  ),
  between('step files are deleted', 'the folder of records removed', goesOn, ({ run }) =>
    rmSync(join(run(), 'anchor'), { recursive: true }),
  ),
  between('step files end in half a line', 'events.jsonl cut in its last line', goesOn, ({ run }) =>
    truncateSync(
      join(run(), 'anchor/events.jsonl'),
      readFileSync(join(run(), 'anchor/events.jsonl')).length - 20,
    ),
  ),
  between(
    "a run's configuration is changed in the database",
    'another seed in the stored configuration',
    refused(/configuration .* changed/i),
    statement("UPDATE runs SET config = json_set(config, '$.seed', 99)"),
    { full: true },
  ),
  between(
    'an event is changed',
    'another body in one row',
    { kind: 'noticed', sentence: /Event \d+: / },
    statement("UPDATE events SET body = json_set(body, '$.step', 7) WHERE kind = 'step.committed'"),
  ),
  between(
    'an event is deleted',
    'one row less',
    { kind: 'noticed', sentence: /Event \d+: / },
    statement('DELETE FROM events WHERE seq = 3'),
  ),
  between(
    'a reward is changed',
    'another number in one row',
    { kind: 'noticed', sentence: /step 1 of run .* was changed afterwards/ },
    statement('UPDATE rollouts SET reward = reward + 0.5 WHERE key = 1'),
  ),
  between(
    'the database is another file',
    'replaced by text',
    refused(/is not a database/),
    ({ lab }) => writeFileSync(join(lab, 'lab.sqlite'), 'not a database\n'.repeat(1000)),
    { full: true },
  ),
  between('the database lost its end', 'truncated to half', refused(/damaged/), ({ lab }) =>
    truncateSync(join(lab, 'lab.sqlite'), 200_704),
  ),
  between(
    'the lock file is garbage',
    'replaced by text',
    refused(/The lock file .* is not one that Anchor Lab wrote/),
    ({ lab }) => writeFileSync(join(lab, 'anchor.lock'), 'mine\n'.repeat(1000)),
  ),
  between(
    'the lock file names a living program that never had it',
    'the process id of another one in it',
    goesOn,
    ({ lab }) => {
      const lock = new SqliteDatabase(join(lab, 'anchor.lock'));
      lock.prepare('UPDATE holder SET pid = ?, start_ticks = NULL').run(process.pid);
      lock.close();
    },
  ),
];
