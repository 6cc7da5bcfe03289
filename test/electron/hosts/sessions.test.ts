import { describe, expect, it } from 'vitest';
import { Allowance, Sessions } from '../../../electron/hosts/index.ts';
import { openHost, OWN_EXCHANGE } from './open-host.ts';

const HOUR = 3_600_000;

function sessionsAt(): { sessions: Sessions; clock: { ms: number } } {
  const clock = { ms: 0 };
  return { sessions: new Sessions(() => clock.ms), clock };
}

describe('a session', () => {
  it('ends twelve hours after its last use, not after its first', () => {
    const { sessions, clock } = sessionsAt();
    const session = sessions.exchange(sessions.issueTicket());
    if (session === null) throw new Error('not exchanged');
    clock.ms = 11 * HOUR;
    expect(sessions.accepts(session.cookie, session.key)).toBe(true);
    clock.ms = 22 * HOUR;
    expect(sessions.accepts(session.cookie, session.key)).toBe(true);
    clock.ms = 34 * HOUR + 1;
    expect([
      sessions.accepts(session.cookie, session.key),
      sessions.browserOf(session.cookie) !== null,
    ]).toEqual([false, false]);
  });

  it('is not lengthened by a wrong key', () => {
    const { sessions, clock } = sessionsAt();
    const session = sessions.exchange(sessions.issueTicket());
    clock.ms = 11 * HOUR;
    expect(sessions.accepts(session?.cookie ?? '', 'wrong')).toBe(false);
    clock.ms = 12 * HOUR + 1;
    expect(sessions.browserOf(session?.cookie ?? '')).toBeNull();
  });
});

describe('a one-time token', () => {
  it('is good once and for twelve hours', () => {
    const { sessions, clock } = sessionsAt();
    const [first, second] = [sessions.issueTicket(), sessions.issueTicket()];
    expect(sessions.exchange(first)).not.toBeNull();
    expect(sessions.exchange(first)).toBeNull();
    clock.ms = 12 * HOUR;
    expect(sessions.exchange(second)).toBeNull();
  });

  it('has 256 random bits and differs each time', () => {
    const { sessions } = sessionsAt();
    const tokens = new Set(Array.from({ length: 50 }, () => sessions.issueTicket()));
    expect([
      tokens.size,
      [...tokens].every((token) => Buffer.from(token, 'base64url').length === 32),
    ]).toEqual([50, true]);
  });
});

describe('wrong tokens', () => {
  it('cost nothing five times, then a second, then twice as long each time up to half a minute', () => {
    const { sessions } = sessionsAt();
    const delays = Array.from({ length: 12 }, () => {
      sessions.exchange('wrong');
      return sessions.delayMs();
    });
    expect(delays).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('are forgiven with the right one, which is never made to wait', () => {
    const { sessions } = sessionsAt();
    for (let mistake = 0; mistake < 9; mistake += 1) sessions.exchange('wrong');
    expect([sessions.exchange(sessions.issueTicket()) === null, sessions.delayMs()]).toEqual([false, 0]);
  });

  it('make the server wait for real, and turn away those who ask many times at once', async () => {
    const open = await openHost();
    try {
      const wrong = (): Promise<{ status: number }> =>
        open.send({
          ...OWN_EXCHANGE,
          headers: { ...OWN_EXCHANGE.headers, origin: open.origin },
          body: '{"token":"wrong"}',
        });
      for (let mistake = 0; mistake < 5; mistake += 1) await wrong();
      const began = performance.now();
      expect((await wrong()).status).toBe(401);
      expect(performance.now() - began).toBeGreaterThan(950);
      const many = Array.from({ length: 12 }, () => wrong().catch(() => ({ status: 0 })));
      expect((await Promise.race(many)).status).toBe(429);
      await open.signIn(); // the right one meanwhile
    } finally {
      await open.close();
    }
  });
});

describe('an allowance', () => {
  it('lets a burst through, then the long run', () => {
    const clock = { ms: 0 };
    const allowance = new Allowance(3, 2, () => clock.ms);
    const take = (times: number): boolean[] => Array.from({ length: times }, () => allowance.take());
    expect(take(4)).toEqual([true, true, true, false]);
    clock.ms = 500;
    expect(take(2)).toEqual([true, false]);
    clock.ms = 60_000;
    expect(take(4)).toEqual([true, true, true, false]);
  });

  it('holds requests of strangers back, and those of one browser, but neither those of another nor of a program with the token', async () => {
    const open = await openHost({ limits: { requests: { burst: 10, perSecond: 1 } } });
    try {
      const [one, other] = [await open.signIn(), await open.signIn()];
      const asked = (cookie: string) => async () => (await open.send({ headers: { cookie } })).status;
      const strangers = await Promise.all(Array.from({ length: 20 }, () => open.send({})));
      expect(strangers.map(({ status }) => status).filter((status) => status === 429).length).toBeGreaterThan(
        5,
      );
      const flood = await Promise.all(Array.from({ length: 20 }, asked(one.cookie)));
      expect(flood[0]).toBe(200);
      expect(flood.filter((status) => status === 429).length).toBeGreaterThan(5);
      expect(await asked(other.cookie)()).toBe(200);
      expect(
        (
          await open.send({
            path: '/trpc/runs.list',
            headers: { authorization: `Bearer ${open.host.token}` },
          })
        ).status,
      ).toBe(200);
    } finally {
      await open.close();
    }
  });
});
