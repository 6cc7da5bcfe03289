/** Guards that hang on one line of the start: the built shell with that line taken out is caught by its probe. */
import { afterEach, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../electron/contract/index.ts';
import { noChromium, Stage } from './labs.ts';
import { askVerb, until } from './page-verbs.ts';
import { changed, missEach, WIRES } from './wires.ts';

if (noChromium !== null)
  process.stderr.write(`skipped: the shell's wiring in a real Chromium: ${noChromium}\n`);

describe.skipIf(noChromium !== null)('the start of the shell', () => {
  const stage = new Stage();
  afterEach(() => stage.clear(), 60_000);

  it('holds every wire', async () => {
    const whole = await stage.open();
    for (const { what, holds } of WIRES) expect([what, await holds(whole)]).toEqual([what, true]);
  }, 180_000);

  // `wiring.full.test.ts` takes the others out.
  missEach(stage, WIRES.slice(0, 1));

  it('a page without its policy still reaches nothing, and each attempt stands in the chain of the lab', async () => {
    const shell = await stage.open({
      application: await changed(stage, {
        from: '"Content-Security-Policy": isPage ? pagePolicy(nonce, []) : FILE_POLICY',
        to: '',
      }),
    });
    await askVerb(shell.page, 'query', 'runs.list', {});
    const answers = await shell.page.evaluate(async () => {
      const { fetch: ask } = globalThis as unknown as { fetch(url: string): Promise<unknown> };
      return Promise.all(
        [1, 2, 3].map((n) =>
          ask(`https://example.invalid/${n}?secret`).then(
            () => 'reached',
            () => 'refused',
          ),
        ),
      );
    });
    expect(answers).toEqual(['refused', 'refused', 'refused']);
    const events = await until(
      async () =>
        (await askVerb<StoredEvent[]>(shell.page, 'query', 'lab.events', { runId: null, limit: 500 })).filter(
          ({ kind }) => kind === 'airgap.blocked',
        ),
      ({ length }) => length >= 3,
      30_000,
    );
    expect(
      events
        .map(({ body }) => body as { url: string; resource: string })
        .map(({ url, resource }) => `${resource} ${url}`)
        .sort(),
    ).toEqual([1, 2, 3].map((n) => `xhr https://example.invalid/${n}?secret`));
    expect((await shell.record()).refused.filter(({ what }) => what === 'let out')).toEqual([]);
  }, 180_000);
});
