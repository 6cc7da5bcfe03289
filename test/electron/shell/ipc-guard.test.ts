import { describe, expect, it } from 'vitest';
import { IpcGuard, PAGE_CHANNELS, PAGE_RATES, type PageChannel } from '../../../electron/shell/ipc.ts';
import { guardOf, SPEAKERS } from './probes.ts';

const open = () => guardOf({ IpcGuard });

describe('a message to the shell', () => {
  it('is taken from the top frame of our own page in our own window', () => {
    const { guard, refused } = open();
    expect(guard.admit('engine:send', SPEAKERS.ours, [1, '{"id":1}'])).toEqual({
      ok: true,
      words: [1, '{"id":1}'],
    });
    expect(refused).toEqual([]);
  });

  it.each(Object.keys(SPEAKERS).filter((name) => name !== 'ours'))(
    'is refused from %s, and counted',
    (name) => {
      const { guard, refused } = open();
      expect(guard.admit('engine:send', SPEAKERS[name] ?? SPEAKERS.ours, [1, '{}'])).toMatchObject({
        ok: false,
      });
      expect(refused).toHaveLength(1);
    },
  );

  it.each<[string, PageChannel, unknown[]]>([
    ['too few words', 'engine:send', [1]],
    ['too many words', 'engine:open', [1, 2]],
    ['a number that is none', 'engine:open', [Number.NaN]],
    ['a fraction', 'engine:open', [1.5]],
    ['a negative number', 'engine:close', [-1]],
    ['text for a number', 'engine:open', ['1']],
    ['a frame of two megabytes', 'engine:send', [1, 'x'.repeat(2 * 1024 * 1024)]],
    ['an object for text', 'engine:send', [1, { toString: 'x' }]],
    [
      'a key nobody knows',
      'paths:choose',
      [{ kind: 'file', many: false, title: '', extensions: [], properties: ['showHiddenFiles'] }],
    ],
    [
      'an own __proto__',
      'paths:choose',
      [JSON.parse('{"kind":"file","many":false,"title":"","extensions":[],"__proto__":{"x":1}}')],
    ],
    [
      'an extension that is a pattern',
      'paths:choose',
      [{ kind: 'file', many: false, title: '', extensions: ['*'] }],
    ],
    ['a file name that is a path', 'text:save', [{ name: '../x.csv', text: '' }]],
    ['a file name with a control character', 'text:save', [{ name: 'a\u0000.csv', text: '' }]],
    [
      'too many commands',
      'commands:offer',
      [Array.from({ length: 301 }, (_, n) => ({ id: `a.${n}`, title: 'x', keys: null, group: 'y' }))],
    ],
    ['a command without a group', 'commands:offer', [[{ id: 'a', title: 'x', keys: null }]]],
  ])('is refused with %s', (_what, channel, words) => {
    const { guard, refused } = open();
    expect(guard.admit(channel, SPEAKERS.ours, words).ok).toBe(false);
    expect(refused).toHaveLength(1);
  });

  it.each(Object.entries(PAGE_RATES) as [PageChannel, { burst: number; perSecond: number }][])(
    'on %s is taken as often as it may be, and again after a while',
    (channel, { burst, perSecond }) => {
      const { guard, pass } = open();
      const example: Record<PageChannel, unknown[]> = {
        'engine:open': [1],
        'engine:send': [1, ''],
        'engine:close': [1],
        'engine:state': [],
        'engine:restart': [],
        'commands:offer': [[]],
        'paths:choose': [{ kind: 'file', many: false, title: '', extensions: [] }],
        'text:save': [{ name: 'a.csv', text: '' }],
        'text:copy': [''],
        'notes:open': [],
      };
      const taken = Array.from(
        { length: burst + 10 },
        () => guard.admit(channel, SPEAKERS.ours, example[channel]).ok,
      );
      expect(taken.filter(Boolean)).toHaveLength(burst);
      pass(1000 / perSecond);
      expect(guard.admit(channel, SPEAKERS.ours, example[channel]).ok).toBe(true);
    },
  );

  it('has a rate on every channel there is', () => {
    expect(Object.keys(PAGE_RATES).sort()).toEqual(Object.keys(PAGE_CHANNELS).sort());
  });

  it('from a stranger costs our own page nothing of its rate', () => {
    const { guard } = open();
    for (let n = 0; n < 50; n += 1) guard.admit('paths:choose', SPEAKERS['innerFrame'] ?? SPEAKERS.ours, []);
    expect(
      guard.admit('paths:choose', SPEAKERS.ours, [{ kind: 'folder', many: true, title: 'A', extensions: [] }])
        .ok,
    ).toBe(true);
  });
});
