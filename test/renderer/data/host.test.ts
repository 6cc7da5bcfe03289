// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as SignInModule from '../../../renderer/data/host.ts';

type SignIn = typeof SignInModule;
let page: SignIn;
const asked: { path: string; init: RequestInit }[] = [];
let answers: (Response | Error)[] = [];

beforeEach(async () => {
  vi.resetModules();
  // A tab has no shell around it, whatever another test of this process left behind.
  vi.stubGlobal('anchor', undefined);
  localStorage.clear();
  location.hash = '';
  asked.length = 0;
  // The host of these tests: it answers from a list. The real one is tried in test/electron/hosts and in Chromium.
  vi.stubGlobal('fetch', (path: string, init: RequestInit): Promise<Response> => {
    asked.push({ path, init });
    const answer = answers.shift() ?? new Error('no host');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  page = await import('../../../renderer/data/host.ts');
});
afterEach(() => vi.unstubAllGlobals());

const isEntered = (): Promise<boolean> =>
  Promise.race([
    page.entered.then(() => true),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), 20);
    }),
  ]);

describe('an address with a token', () => {
  it('is exchanged, and the token is gone from the address before the host has answered', async () => {
    location.hash = '#token=abc&to=%2Fruns%2Frun-1%3Frecord%3Dr5';
    answers = [Response.json({ key: 'k1' })];
    const signing = page.signIn();
    expect(location.hash).toBe('#/runs/run-1?record=r5');
    expect(await signing).toBe('in');
    expect(asked.map(({ path, init }) => [path, init.method, init.body])).toEqual([
      ['/session', 'POST', '{"token":"abc"}'],
    ]);
    expect([page.sessionKey(), await isEntered()]).toEqual(['k1', true]);
  });

  it('that was used lets a browser in that is in already', async () => {
    localStorage.setItem('anchor.key', 'k0');
    location.hash = '#token=used';
    answers = [new Response(null, { status: 401 }), new Response(null, { status: 204 })];
    expect([await page.signIn(), page.sessionKey()]).toEqual(['in', 'k0']);
  });

  it('that was used lets nobody else in', async () => {
    location.hash = '#token=used';
    answers = [new Response(null, { status: 401 }), new Response(null, { status: 401 })];
    expect([await page.signIn(), await isEntered()]).toEqual(['out', false]);
  });

  it('leads to a place of the window only', () => {
    expect(page.ticketOf('#token=a&to=https%3A%2F%2Fevil.example')).toEqual({ token: 'a', to: '/' });
    expect(page.ticketOf('#/runs?token=a')).toBeNull();
    expect(page.ticketOf('')).toBeNull();
  });
});

describe('an address without a token', () => {
  it('asks whether this browser is known, showing its key', async () => {
    localStorage.setItem('anchor.key', 'k0');
    answers = [new Response(null, { status: 204 })];
    expect(await page.signIn()).toBe('in');
    expect(asked[0]?.init.headers).toEqual({ 'X-Anchor-Key': 'k0' });
  });

  it('of a host that has ended is away, not signed out', async () => {
    answers = [];
    expect(await page.signIn()).toBe('away');
  });
});

describe("the presenter's notes", () => {
  it('are in a second window of the browser, where it allows one', () => {
    const open = vi.spyOn(window, 'open').mockReturnValue({} as Window);
    expect(page.openNotes()).toBe(true);
    expect(open.mock.calls[0]?.[0]).toMatch(/^[^#]+#\/demo\/notes$/);
    open.mockReturnValue(null);
    expect(page.openNotes()).toBe(false);
    open.mockRestore();
  });

  it('are opened by the shell on the desktop, and their window never connects', async () => {
    const openNotes = vi.fn();
    const copyText = (): Promise<void> => Promise.resolve();
    vi.stubGlobal('anchor', { openNotes, copyText });
    const entersAt = async (hash: string): Promise<boolean> => {
      location.hash = hash;
      vi.resetModules();
      page = await import('../../../renderer/data/host.ts');
      return isEntered();
    };
    expect([await entersAt('#/demo/notes'), await entersAt('#/demo')]).toEqual([false, true]);
    expect([page.openNotes(), openNotes.mock.calls.length]).toEqual([true, 1]);
  });
});
