/** What a hostile page could try in the real window: each attempt in a real Chromium under the real shell. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnchorBridge } from '../../../electron/contract/index.ts';
import { noChromium, Stage } from './labs.ts';
import type { OpenShell } from './open-shell.ts';
import { askVerb, until } from './page-verbs.ts';

if (noChromium !== null) process.stderr.write(`skipped: the shell in a real Chromium: ${noChromium}\n`);

type World = {
  anchor: AnchorBridge;
  addEventListener(
    name: 'securitypolicyviolation',
    hear: (event: { effectiveDirective: string }) => void,
  ): void;
  document: {
    createElement(name: string): Record<string, unknown> & { contentWindow: World | null };
    body: { append(part: unknown): void };
  };
  open(url: string): unknown;
  location: { href: string };
};

describe.skipIf(noChromium !== null)('the page of the shell', () => {
  const stage = new Stage();
  let shell: OpenShell;
  /** Violations of the page's policy, as the page hears of them. */
  let violations: () => Promise<string[]>;

  beforeAll(async () => {
    shell = await stage.open();
    await shell.page.evaluate(() => {
      const kept: string[] = [];
      (globalThis as unknown as { kept: string[] }).kept = kept;
      (globalThis as unknown as World).addEventListener(
        'securitypolicyviolation',
        (event) => void kept.push(event.effectiveDirective),
      );
    });
    violations = () =>
      shell.page.evaluate(() => (globalThis as unknown as { kept: string[] }).kept.splice(0));
  }, 180_000);
  afterAll(() => stage.clear(), 60_000);

  it('is our own, and talks to the engine', async () => {
    expect((await shell.windows())[0]?.url).toMatch(/^app:\/\/anchor\//);
    expect(await askVerb(shell.page, 'query', 'runs.list', {})).toMatchObject({ rows: [] });
  });

  it('opens without a complaint, in a sandboxed process, with a preload script that did not fail', async () => {
    const { sandbox, warnings, spellChecker } = await shell.record();
    expect([sandbox, spellChecker, warnings]).toEqual([true, false, []]);
  });

  it('has nothing of Node, and of the shell exactly the bridge, which cannot be changed', async () => {
    const seen = await shell.page.evaluate(() => {
      const world = globalThis as unknown as World & Record<string, unknown>;
      return {
        node: [
          'require',
          'process',
          'module',
          'Buffer',
          'global',
          '__dirname',
          'ipcRenderer',
          'electron',
        ].filter((name) => name in world),
        keys: Object.keys(world.anchor).sort(),
        frozen: Object.isFrozen(world.anchor),
        fixed: Object.getOwnPropertyDescriptor(world, 'anchor')?.configurable === false,
      };
    });
    expect(seen).toEqual({
      node: [],
      frozen: true,
      fixed: true,
      keys: [
        'choosePaths',
        'connect',
        'copyText',
        'offerCommands',
        'onCommand',
        'onEngineState',
        'openNotes',
        'pathOf',
        'restartEngine',
        'saveText',
      ],
    });
  });

  it('hears no event objects of the shell, only plain words', async () => {
    const heard = await shell.page.evaluate(
      () =>
        new Promise<unknown[]>((resolve) => {
          (globalThis as unknown as World).anchor.onEngineState((...words: unknown[]) => resolve(words));
        }),
    );
    expect(heard).toEqual([{ state: 'ready', sentence: null, restarts: 0 }]);
  });

  /** No text becomes markup, code or an address of code: this is asked before the sources of what it would be. */
  const TRUSTED = 'require-trusted-types-for';
  it.each<[string, string, () => unknown]>([
    [
      'an inline script',
      TRUSTED,
      () => {
        const script = (globalThis as unknown as World).document.createElement('script');
        script['textContent'] = 'globalThis.broken = 1';
        (globalThis as unknown as World).document.body.append(script);
      },
    ],
    [
      'markup with a handler',
      TRUSTED,
      () => {
        const box = (globalThis as unknown as World).document.createElement('div');
        box['innerHTML'] = '<img src="data:image/png;base64,x" onerror="globalThis.broken = 1">';
        (globalThis as unknown as World).document.body.append(box);
      },
    ],
    [
      'eval',
      TRUSTED,
      () => {
        try {
          Reflect.get(globalThis, 'eval')('globalThis.broken = 1');
        } catch {
          /* refused, as it must be */
        }
      },
    ],
    [
      'a foreign script by its address',
      TRUSTED,
      () => {
        const script = (globalThis as unknown as World).document.createElement('script');
        script['src'] = 'https://example.invalid/x.js';
        (globalThis as unknown as World).document.body.append(script);
      },
    ],
    [
      'a foreign module',
      'script-src-elem',
      () => {
        const link = (globalThis as unknown as World).document.createElement('link');
        Object.assign(link, { rel: 'modulepreload', href: 'https://example.invalid/x.js' });
        (globalThis as unknown as World).document.body.append(link);
      },
    ],
    [
      'a style without the nonce',
      'style-src-elem',
      () => {
        const style = (globalThis as unknown as World).document.createElement('style');
        style['textContent'] = 'body{display:none}';
        (globalThis as unknown as World).document.body.append(style);
      },
    ],
    [
      'a foreign picture',
      'img-src',
      () => {
        const image = (globalThis as unknown as World).document.createElement('img');
        image['src'] = 'https://example.invalid/x.png';
        (globalThis as unknown as World).document.body.append(image);
      },
    ],
    [
      'a request',
      'connect-src',
      () => {
        void (globalThis as unknown as { fetch(url: string): Promise<unknown> })
          .fetch('https://example.invalid/')
          .catch(() => {});
      },
    ],
    [
      'a socket',
      'connect-src',
      () => {
        try {
          void new (globalThis as unknown as { WebSocket: new (url: string) => unknown }).WebSocket(
            'ws://127.0.0.1:9/',
          );
        } catch {
          /* refused at once */
        }
      },
    ],
    [
      'a worker from text',
      TRUSTED,
      () => {
        try {
          void new (globalThis as unknown as { Worker: new (url: string) => unknown }).Worker(
            'data:text/javascript,1',
          );
        } catch {
          /* refused at once */
        }
      },
    ],
    [
      'another base',
      'base-uri',
      () => {
        const base = (globalThis as unknown as World).document.createElement('base');
        base['href'] = 'https://example.invalid/';
        (globalThis as unknown as World).document.body.append(base);
      },
    ],
  ])('may not have %s', async (_what, directive, attempt) => {
    await violations();
    // Later, in the page's own time: what a debugger evaluates is exempt from the policy.
    await shell.page.evaluate(`void setTimeout(${attempt.toString()}, 0)`);
    const heard = await until(violations, (list) => list.length > 0, 20_000);
    expect(heard[0]).toContain(directive);
    expect(await shell.page.evaluate(() => 'broken' in globalThis)).toBe(false);
  });

  it.each(['iframe', 'object', 'embed', 'webview'])('shows nothing foreign in a %s', async (name) => {
    await shell.page.evaluate((kind) => {
      const { document } = globalThis as unknown as World;
      const part = document.createElement(kind);
      for (const place of ['src', 'data'])
        try {
          part[place] = 'https://example.invalid/inner';
        } catch {
          /* an address of code, which no text may become */
        }
      document.body.append(part);
    }, name);
    await shell.page.waitForTimeout(500);
    expect((await shell.record()).requests.filter((url) => url.includes('example.invalid'))).toEqual([]);
    expect(
      shell.page
        .frames()
        .map((frame) => frame.url())
        .filter((url) => url.includes('inner')),
    ).toEqual([]);
  });

  it('sends nothing out: no request but for its own files ever left it', async () => {
    const { requests } = await shell.record();
    expect(requests.filter((url) => !url.startsWith('app://anchor/'))).toEqual([]);
  });

  it('opens no window by itself', async () => {
    await shell.page.evaluate(() => void (globalThis as unknown as World).open('https://example.invalid/'));
    await until(
      () => shell.record(),
      ({ refused }) => refused.some(({ what }) => what === 'window'),
      20_000,
    );
    expect(await shell.windows()).toHaveLength(1);
  });

  it('goes nowhere else, and what is tried stands in the log of the lab', async () => {
    const before = shell.page.url();
    await shell.page.evaluate(() => {
      (globalThis as unknown as World).location.href = 'https://example.invalid/away';
    });
    await until(
      () => shell.record(),
      ({ refused }) => refused.some(({ what }) => what === 'navigation'),
      20_000,
    );
    expect(shell.page.url()).toBe(before);
  });

  it('downloads nothing', async () => {
    await shell.page.evaluate(() => {
      const link = (globalThis as unknown as World).document.createElement('a') as unknown as {
        href: string;
        download: string;
        click(): void;
      };
      link.href = 'data:text/plain,x';
      link.download = 'x.txt';
      link.click();
    });
    await until(
      () => shell.record(),
      ({ refused }) => refused.some(({ what }) => what === 'download'),
      20_000,
    );
  });

  it.each([
    'media',
    'geolocation',
    'notifications',
    'clipboard-read',
    'clipboard-sanitized-write',
    'openExternal',
    'unknown',
  ])('is given no permission for %s', async (name) => {
    expect(await shell.deed('permission', name)).toBe(false);
    expect(await shell.deed('checkPermission', name)).toBe(false);
  });

  it('copies text through the bridge, since it has no permission to', async () => {
    await shell.page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { writeText(text: string): Promise<void> } } }
      ).navigator.clipboard.writeText('copied'),
    );
    expect((await shell.record()).clipboard).toEqual(['copied']);
  });
});
