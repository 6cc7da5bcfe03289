import { describe, expect, it } from 'vitest';
import { Dwell, countdownText, paceOf } from '../../../../renderer/rooms/reviews/queue/queue-bar.tsx';
import { Outbox } from '../../../../renderer/rooms/reviews/queue/use-queue.ts';
import { typeDigit } from '../../../../renderer/rooms/reviews/audits/audit-form.ts';
import { startPlan } from '../../../../renderer/rooms/reviews/audits/new-audit.tsx';

describe('a mark', () => {
  it('is tens after one digit, itself after two, and 100 in full', () => {
    expect(
      [
        typeDigit('', '8'),
        typeDigit('8', '5'),
        typeDigit('1', '0'),
        typeDigit('10', '0'),
        typeDigit('', '0'),
        typeDigit('0', '7'),
      ].map((typed) => typed?.mark),
    ).toEqual([80, 85, 10, 100, 0, 7]);
  });
  it.each([
    ['85', '1'],
    ['10', '1'],
    ['', 'x'],
    ['100', '0'],
  ])('is not made by %s and then %s', (before, digit) => {
    expect(typeDigit(before, digit)).toBeNull();
  });
});

describe('the plan a link asks for', () => {
  const usual = { runId: 'r', fromStep: 3, toStep: 22, perPhase: 2, phases: ['plan' as const], seed: 1 };
  it('is the usual one, one step, or one record at its step', () => {
    expect(startPlan(usual, null, null)).toEqual(usual);
    expect(startPlan(usual, 7, null)).toEqual({ ...usual, fromStep: 7, toStep: 7 });
    expect(startPlan(usual, null, '9/gen_code_o/3')).toEqual({
      ...usual,
      fromStep: 9,
      toStep: 9,
      rolloutId: '9/gen_code_o/3',
    });
  });
});

describe('the pace', () => {
  it('is the median gap of the last ten answers, and unknown before three gaps', () => {
    expect(paceOf([])).toBeNull();
    expect(paceOf([0, 10, 20])).toBeNull();
    expect(paceOf([0, 10, 20, 60])).toBe(10);
    expect(paceOf([0, ...Array.from({ length: 12 }, (_, index) => 100 + index * 4)])).toBe(4);
  });
  it('leaves breaks out', () => {
    expect(paceOf([0, 10, 20, 30, 5000, 5012])).toBe(10);
  });
});

describe('time left', () => {
  it.each([
    [252_000, '4:12'],
    [59_100, '1:00'],
    [3_729_000, '1:02:09'],
    [-5000, '0:00'],
  ])('%i ms reads %s', (milliseconds, text) => {
    expect(countdownText(milliseconds)).toBe(text);
  });
});

describe('time in front of an item', () => {
  it('adds up over visits', () => {
    const dwell = new Dwell();
    dwell.visit('a', 0);
    dwell.visit('b', 10);
    dwell.visit('a', 15);
    expect([dwell.of('a', 18), dwell.of('b', 18), dwell.of('c', 18)]).toEqual([13, 5, 0]);
  });
});

describe('changes on their way to the engine', () => {
  it('arrive one after another in order, and a failure stops none of the others', async () => {
    const outbox = new Outbox();
    const seen: string[] = [];
    const failures: unknown[] = [];
    const end = Promise.withResolvers<void>();
    const slow = (name: string, milliseconds: number) => () =>
      new Promise<void>((resolve) => {
        setTimeout(() => {
          seen.push(name);
          resolve();
        }, milliseconds);
      });
    outbox.send('a', slow('first', 20), (error) => failures.push(error));
    outbox.send(
      'b',
      () => Promise.reject(new Error('no disk')),
      (error) => failures.push(error),
    );
    outbox.send('a', slow('third', 1), (error) => failures.push(error));
    outbox.send(
      'c',
      async () => end.resolve(),
      () => {},
    );
    expect(outbox.unsent()).toEqual(new Set(['a', 'b', 'c']));
    await end.promise;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(seen).toEqual(['first', 'third']);
    expect(failures).toEqual([new Error('no disk')]);
    expect(outbox.unsent()).toEqual(new Set());
  });
});
