import SqliteDatabase from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../electron/contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../electron/core/index.ts';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import type { ChainCheck, ChainCheckpoint } from '../../../electron/store/index.ts';
import { checkChain, eventHash } from '../../../electron/store/audit-log/events.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import { hex, inTempFolder, makeConfig, seededRandom, steadyClock } from './support/make-records.ts';

const START = '0'.repeat(64);

/** A sound chain of `length` events, made outside the store. */
function makeChain(length: number): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const event = {
      seq,
      at: new Date(seq * 1000).toISOString(),
      runId: seq % 3 === 0 ? 'a' : null,
      kind: 'note',
      body: { seq, text: `event ${seq}` },
      prev: events.at(-1)?.hash ?? START,
    };
    events.push({ ...event, hash: eventHash(event) });
  }
  return events;
}

/** What the check says about these rows, in this order; `seq` as given. No trigger stands in the way of the tampering. */
function check(events: StoredEvent[], checkpoint?: ChainCheckpoint): ChainCheck {
  const db = new SqliteDatabase(':memory:');
  db.exec(
    'CREATE TABLE events (seq INTEGER, at TEXT, run_id TEXT, kind TEXT, body TEXT, prev TEXT, hash TEXT)',
  );
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const event of events)
    insert.run(
      event.seq,
      event.at,
      event.runId,
      event.kind,
      canonicalJson(event.body),
      event.prev,
      event.hash,
    );
  try {
    return checkChain(db, checkpoint);
  } finally {
    db.close();
  }
}

const rehash = (event: StoredEvent): StoredEvent => ({ ...event, hash: eventHash(event) });
const renumber = (events: StoredEvent[]): StoredEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1 }));

describe('the event chain', () => {
  it('is SHA-256 over a tag, the hash before, and canonical JSON', () =>
    inLab((lab) => {
      const first = lab.listEvents(null)[0]!;
      const { hash, ...rest } = first;
      expect(rest.prev).toBe(START);
      const { prev, ...content } = rest;
      expect(hash).toBe(sha256Hex(`anchor-event-v1${prev}${canonicalJson(content)}`));
      const added = lab.appendEvent('a', 'note', { z: 1, a: [null, 'ü'] });
      expect(added).toMatchObject({
        seq: 3,
        runId: 'a',
        kind: 'note',
        body: { a: [null, 'ü'], z: 1 },
        prev: lab.listEvents(null)[1]?.hash,
      });
      expect(lab.verifyEvents()).toEqual({ count: 3, head: added.hash });
      expect(lab.exportCheckpointOfChain()).toEqual({ seq: 3, head: added.hash, count: 3 });
      expect(lab.listEvents('a', { afterSeq: 2 })).toEqual([added]);
    }));

  it('is empty and sound in a new lab', () =>
    inTempFolder(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      expect(lab.verifyEvents()).toEqual({ count: 0, head: START });
      expect(lab.exportCheckpointOfChain()).toEqual({ seq: 0, head: START, count: 0 });
      lab.close();
    }));

  it('takes no body that JSON would change', () =>
    inLab(async (lab) => {
      for (const body of [Number.NaN, undefined, { at: new Date(0) }, [1n]])
        expect(() => lab.appendEvent(null, 'note', body)).toThrow(TypeError);
      expect(lab.verifyEvents().count).toBe(2);
    }));

  const LENGTH = 60;
  const tampering: [string, (chain: StoredEvent[], at: number, random: () => number) => StoredEvent[]][] = [
    [
      'a changed body',
      (chain, at) =>
        chain.map((event, index) =>
          index === at ? { ...event, body: { ...(event.body as object), text: 'other' } } : event,
        ),
    ],
    [
      'a changed body with its hash made again',
      (chain, at) =>
        chain
          .map((event, index) => (index === at ? rehash({ ...event, body: 'other' }) : event))
          .concat(at === LENGTH - 1 ? [{ ...chain[at]!, seq: LENGTH + 1 }] : []),
    ],
    [
      'a changed time',
      (chain, at) =>
        chain.map((event, index) => (index === at ? { ...event, at: new Date(5).toISOString() } : event)),
    ],
    [
      'a changed run',
      (chain, at) => chain.map((event, index) => (index === at ? { ...event, runId: 'b' } : event)),
    ],
    [
      'a changed kind',
      (chain, at) => chain.map((event, index) => (index === at ? { ...event, kind: 'other' } : event)),
    ],
    [
      'a deleted event',
      (chain, at) =>
        chain
          .filter((_, index) => index !== at || index === LENGTH - 1)
          .concat(at === LENGTH - 1 ? [chain[at]!] : []),
    ],
    [
      'a deleted event with the rest renumbered',
      (chain, at) => renumber(chain.filter((_, index) => index !== Math.min(at, LENGTH - 2))),
    ],
    [
      'an inserted event',
      (chain, at) =>
        renumber([...chain.slice(0, at), rehash({ ...chain[at]!, body: 'inserted' }), ...chain.slice(at)]),
    ],
    ['a repeated event', (chain, at) => renumber([...chain.slice(0, at), chain[at]!, ...chain.slice(at)])],
    [
      'two events exchanged',
      (chain, at, random) => {
        const other = (at + 1 + Math.floor(random() * (LENGTH - 1))) % LENGTH;
        return renumber(
          chain.map((event, index) => (index === at ? chain[other]! : index === other ? chain[at]! : event)),
        );
      },
    ],
  ];
  it.each(tampering)('shows %s at every position', (_what, tamper) => {
    const chain = makeChain(LENGTH);
    expect(check(chain)).toEqual({ count: LENGTH, head: chain.at(-1)?.hash });
    const random = seededRandom(3);
    for (let at = 0; at < LENGTH; at += 1)
      expect(check(tamper(chain, at, random)).firstBroken, `position ${at}`).toBeDefined();
  });

  it('shows a cut tail and a chain written again only against an exported checkpoint', () => {
    const chain = makeChain(30);
    const checkpoint = { seq: 30, head: chain[29]!.hash, count: 30 };
    expect(check(makeChain(30), checkpoint).firstBroken).toBeUndefined();
    expect(check(chain.slice(0, 20)).firstBroken).toBeUndefined();
    expect(check(chain.slice(0, 20), checkpoint).firstBroken?.reason).toMatch(/was cut/);
    const again: StoredEvent[] = [];
    for (const event of chain)
      again.push(rehash({ ...event, at: new Date(7).toISOString(), prev: again.at(-1)?.hash ?? START }));
    expect(check(again).firstBroken).toBeUndefined();
    expect(check(again, checkpoint).firstBroken?.reason).toMatch(/was written again/);
  });

  it('goes on through a checkpoint exported earlier', () =>
    inLab((lab) => {
      const checkpoint = lab.exportCheckpointOfChain();
      lab.appendEvent(null, 'note', 'later');
      expect(lab.verifyEvents(checkpoint)).toEqual({ count: 3, head: lab.exportCheckpointOfChain().head });
      expect(lab.verifyEvents({ ...checkpoint, head: hex('other') }).firstBroken?.seq).toBe(checkpoint.seq);
    }));

  it.each([
    ['changed', `UPDATE events SET kind = 'x' WHERE seq = 1`],
    ['deleted', 'DELETE FROM events WHERE seq = 2'],
    [
      'replaced',
      `INSERT OR REPLACE INTO events SELECT seq, at, run_id, 'x', body, prev, hash FROM events WHERE seq = 2`,
    ],
    [
      'put in between',
      `INSERT INTO events SELECT 9, at, run_id, 'x', body, prev, '${hex('x')}' FROM events WHERE seq = 2`,
    ],
  ])('cannot be %s with the triggers in place', (_what, statement) =>
    inLab((_lab, folder) => {
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      db.pragma('recursive_triggers = ON');
      expect(() => db.exec(statement)).toThrow(/stored events (are never|only grow)/);
      db.close();
    }),
  );
});

describe('records against their events', () => {
  const changes: [string, string, RegExp][] = [
    [
      'a reward',
      `UPDATE rollouts SET reward = 1 WHERE id = '1/gen_code_i/0'`,
      /step 1 of run "a" was changed/,
    ],
    [
      'agent text',
      `UPDATE rollout_texts SET text = replace(text, 'answer', 'anzwer') WHERE key = 14`,
      /step 2 of run "a" was changed/,
    ],
    [
      'a gate probability',
      `UPDATE reviews SET gate_probability = 1 WHERE id = '1/gen_code_i/0#task'`,
      /step 1 of run "a" was changed/,
    ],
    [
      'a context line',
      `UPDATE context_lines SET text = 'Say yes.' WHERE step = 3`,
      /step 2 of run "a" was changed/,
    ],
    [
      'a source of a line',
      `UPDATE context_line_sources SET review_id = '1/gen_code_i/0#plan' WHERE since_step = 2`,
      /step 1 of run "a" was changed/,
    ],
    [
      'a metric',
      `UPDATE metrics SET value = 0 WHERE name = 'loss' AND step = 1`,
      /step 1 of run "a" was changed/,
    ],
    [
      'a seed task',
      `UPDATE tasks SET program = 'def f(): pass' WHERE id = 'seed-deduction'`,
      /step 0 of run "a" was changed/,
    ],
    ['a lost summary', `DELETE FROM summaries WHERE step = 2`, /step 2 of run "a" was changed/],
    ['a lost step', `DELETE FROM steps WHERE step = 2`, /step 2 of run "a" is missing/],
    [
      'the weights of a checkpoint',
      `UPDATE checkpoints SET weights_sha256 = '${hex('x')}' WHERE step = 1`,
      /step 1 of run "a" was changed/,
    ],
    [
      'the configuration',
      `UPDATE runs SET config = replace(config, '"seed":7', '"seed":8')`,
      /run "a" was changed/,
    ],
    ['the state of a run', `UPDATE runs SET state = 'done'`, /run "a" was changed/],
    ['a lost run', 'DELETE FROM runs', /run "a" is missing/],
    [
      'a run from nowhere',
      `INSERT INTO runs SELECT 'b', created_at, name, preset, config, 'queued', NULL, 0, NULL, NULL, 'b' FROM runs`,
      /No event tells where run "b" comes from/,
    ],
    [
      'a task from nowhere',
      `INSERT INTO tasks SELECT 99, run_id, 'x', task_type, 7, origin, NULL, program, inputs, outputs, NULL, imports, NULL FROM tasks LIMIT 1`,
      /No event tells where step 7/,
    ],
    ['a flag', 'UPDATE rollouts SET reviewed = 1 - reviewed WHERE key = 3', /1 rollouts are wrongly marked/],
    [
      'the index of issues',
      `DELETE FROM review_issues WHERE review_key = 1`,
      /index of issues does not fit 1 reviews/,
    ],
  ];
  it.each(changes)('show %s', (_what, statement, finding) =>
    inLab(async (lab, folder) => {
      lab.close();
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      db.pragma('foreign_keys = ON');
      db.exec(statement);
      db.close();
      const again = await openLab(folder, { now: steadyClock() });
      expect(
        again
          .checkIntegrity()
          .map((damage) => damage.finding)
          .join('\n'),
      ).toMatch(finding);
      again.close();
    }, 2),
  );

  it('say nothing about runs and models that were deleted on purpose', () =>
    inLab(async (lab) => {
      lab.setSetting('app.x', 1);
      lab.deleteRun('a');
      expect(lab.checkIntegrity()).toEqual([]);
      await lab.takeOutDeleted();
      lab.createRun({ id: 'a', config: makeConfig('second of its name'), folder: 'runs/a2' });
      expect(lab.checkIntegrity()).toEqual([]);
    }, 1));

  it('refuse work for a run that is not there', () =>
    inLab(async (lab) => {
      expect((await failureOf(() => lab.deleteRun('zz'))).kind).toBe('unknownRun');
    }));
});
