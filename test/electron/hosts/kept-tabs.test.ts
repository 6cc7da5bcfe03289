import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { KnownTabs } from '../../../electron/hosts/known-tabs.ts';
import { newTab, signed } from './tabs.ts';

const HOUR = 3_600_000;

describe('the tabs that a lab knows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-tabs-'));
  const place = join(folder, 'tabs.json');
  const tab = newTab();
  const isKnown = (nowMs: number): boolean => {
    const tabs = new KnownTabs(() => nowMs, folder);
    return tabs.accepts({ tab: tab.key, signature: signed(tab, 'http://127.0.0.1:7', tabs.challenge) }, 7);
  };
  const keep = (nowMs: number): void => {
    rmSync(place, { force: true });
    new KnownTabs(() => nowMs, folder).note(tab.key);
  };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are public keys in a file that nobody else can read or write', () => {
    keep(0);
    expect(statSync(place).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(place, 'utf8'))).toEqual({
      lab: folder,
      tabs: [{ key: tab.key, endsMs: 12 * HOUR }],
    });
  });

  it('are forgotten twelve hours after they were last here, and sooner by no clock that was set back', () => {
    keep(20 * HOUR);
    expect([isKnown(31 * HOUR), isKnown(32 * HOUR)]).toEqual([true, false]);
    let nowMs = 0;
    const tabs = new KnownTabs(() => nowMs, folder);
    const signature = signed(tab, 'http://127.0.0.1:7', tabs.challenge);
    nowMs = 13 * HOUR;
    expect(tabs.accepts({ tab: tab.key, signature }, 7)).toBe(false);
  });

  it('are kept again as they are used, at most every ten minutes', () => {
    rmSync(place, { force: true });
    let nowMs = 0;
    const tabs = new KnownTabs(() => nowMs, folder);
    const ends = [0, 9, 10].map((minutes) => {
      nowMs = minutes * 60_000;
      tabs.note(tab.key);
      return (JSON.parse(readFileSync(place, 'utf8')) as { tabs: { endsMs: number }[] }).tabs[0]?.endsMs;
    });
    expect(ends).toEqual([12 * HOUR, 12 * HOUR, 12 * HOUR + 600_000]);
  });

  it('are the newest 32', () => {
    const tabs = new KnownTabs(() => 0, folder);
    for (let n = 0; n < 32; n += 1) tabs.note(newTab().key);
    expect(isKnown(0)).toBe(false);
  });

  it.each<[string, () => void]>([
    ['others may have written', () => chmodSync(place, 0o660)],
    [
      'is a link',
      () => {
        renameSync(place, `${place}.elsewhere`);
        symlinkSync(`${place}.elsewhere`, place);
      },
    ],
    ['is of another form', () => writeFileSync(place, '{"tabs":1}')],
    ['is too large', () => writeFileSync(place, `${' '.repeat(65_536)}${readFileSync(place, 'utf8')}`)],
  ])('are none where the file %s', (_what, spoil) => {
    keep(0);
    expect(isKnown(0)).toBe(true);
    spoil();
    expect(isKnown(0)).toBe(false);
  });

  it.each(['', 'x', 'A'.repeat(122)])('are no keys that are none: %j', (key) => {
    const tabs = new KnownTabs(() => 0);
    tabs.note(key);
    expect(tabs.accepts({ tab: key, signature: 'AA' }, 7)).toBe(false);
  });
});
