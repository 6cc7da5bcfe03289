/** Guards that hang on one line of the start: the built shell with that line taken out is caught by its probe. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../electron/contract/index.ts';
import { buildStale } from '../../../electron/cli/build.ts';
import { noChromium, Stage } from './labs.ts';
import { root, type OpenShell } from './open-shell.ts';
import { askVerb, until } from './page-verbs.ts';

if (noChromium !== null)
  process.stderr.write(`skipped: the shell's wiring in a real Chromium: ${noChromium}\n`);

type Change = { from: string; to: string };
type Wire = Change & { what: string; holds(shell: OpenShell): Promise<boolean> };

const WIRES: readonly Wire[] = [
  {
    what: '4: every page is sandboxed',
    from: 'app.enableSandbox();',
    to: '',
    holds: async (shell) => (await shell.record()).sandbox,
  },
  {
    what: '5: the session is locked',
    from: 'lockSession(session.defaultSession, refused, devTools);',
    to: '',
    holds: async (shell) =>
      !(await shell.deed('permission', 'media')) && !(await shell.deed('checkPermission', 'media')),
  },
  {
    what: '13, 14: every page is locked',
    from: 'app.on("web-contents-created", (_event, contents) => lockContents(contents));',
    to: '',
    holds: async (shell) => {
      await shell.page.evaluate(
        () => void (globalThis as unknown as { open(url: string): unknown }).open('https://example.invalid/'),
      );
      await shell.page.waitForTimeout(1000);
      return (await shell.record()).refused.some(({ what }) => what === 'window');
    },
  },
  {
    what: '17: the guard knows its window',
    from: 'page()?.id === id',
    to: 'false',
    holds: (shell) =>
      shell.page.evaluate(() =>
        Promise.race([
          (globalThis as unknown as { anchor: { copyText(text: string): Promise<void> } }).anchor
            .copyText('x')
            .then(
              () => true,
              () => false,
            ),
          new Promise<boolean>((resolve) => {
            setTimeout(() => resolve(false), 5000);
          }),
        ]),
      ),
  },
  {
    what: 'Chromium is told to ask nobody',
    from: 'for (const [name, value] of SWITCHES) app.commandLine.appendSwitch(name, value);',
    to: '',
    holds: async (shell) => (await shell.record()).switches.length > 5,
  },
];

describe.skipIf(noChromium !== null)('the start of the shell', () => {
  const stage = new Stage();
  afterEach(() => stage.clear(), 60_000);

  /** A copy of the built application with one line of its start changed. */
  function changed({ from, to }: Change): string {
    const folder = stage.folder();
    mkdirSync(join(folder, 'out'));
    for (const part of ['main', 'preload', 'renderer'])
      cpSync(join(root, 'out', part), join(folder, 'out', part), { recursive: true });
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    for (const link of ['node_modules', 'native', 'resources', '.venv'])
      symlinkSync(join(root, link), join(folder, link));
    const main = join(folder, 'out/main/main.js');
    const source = readFileSync(main, 'utf8');
    if (source.split(from).length !== 2)
      throw new Error(`"${from}" must stand in the built shell exactly once`);
    writeFileSync(main, source.replace(from, to));
    return folder;
  }

  it('holds every wire', async () => {
    const whole = await stage.open();
    for (const { what, holds } of WIRES) expect([what, await holds(whole)]).toEqual([what, true]);
  }, 180_000);

  it.each(WIRES)(
    'without its line, it is noticed: $what',
    async (wire) => {
      if (process.env['ANCHOR_WINDOW_BUILT'] !== '1') await buildStale([], false);
      expect(await wire.holds(await stage.open({ application: changed(wire) }))).toBe(false);
    },
    180_000,
  );

  it('a page without its policy still reaches nothing, and each attempt stands in the chain of the lab', async () => {
    if (process.env['ANCHOR_WINDOW_BUILT'] !== '1') await buildStale([], false);
    const shell = await stage.open({
      application: changed({ from: '"Content-Security-Policy": pagePolicy(nonce, [])', to: '' }),
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
