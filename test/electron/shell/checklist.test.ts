/** Electron's security checklist, by its numbers: each guard holds, and its probe notices when the guard is taken away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as Page from '../../../electron/shell/page.ts';
import type * as Ipc from '../../../electron/shell/ipc.ts';
import { mutant, whole, type Mutation } from './mutants.ts';
import { askedPage, guardOf, lockedContents, lockedSession, SPEAKERS } from './probes.ts';

/** A guard: what it is, how it is taken away, and a probe that is true while it holds. */
type Guarded = {
  point: number;
  what: string;
  change: Mutation;
  holds(module: never): boolean | Promise<boolean>;
};

const preferences = (point: number, name: string, safe: boolean): Guarded => ({
  point,
  what: `the page's ${name} is ${safe}`,
  change: { file: 'shell/page.ts', from: `${name}: ${safe}`, to: `${name}: ${!safe}` },
  holds: ({ webPreferences }: typeof Page) =>
    webPreferences('/preload.cjs', false)[name as 'sandbox'] === safe,
});
const session = (
  point: number,
  what: string,
  from: string,
  holds: (locked: ReturnType<typeof lockedSession>) => boolean | Promise<boolean>,
  to = '',
): Guarded => ({
  point,
  what,
  change: { file: 'shell/page.ts', from, to },
  holds: (module: typeof Page) => holds(lockedSession(module)),
});
const contents = (
  point: number,
  what: string,
  from: string,
  to: string,
  holds: (locked: ReturnType<typeof lockedContents>) => boolean,
): Guarded => ({
  point,
  what,
  change: { file: 'shell/page.ts', from, to },
  holds: (module: typeof Page) => holds(lockedContents(module)),
});
const refuses = (who: string, from: string, to: string): Guarded => ({
  point: 17,
  what: `a message from ${who} is refused`,
  change: { file: 'shell/ipc.ts', from, to },
  holds: (module: typeof Ipc) =>
    !guardOf(module).guard.admit('engine:open', SPEAKERS[who] ?? SPEAKERS.ours, [1]).ok,
});
const page = (
  point: number,
  what: string,
  from: string,
  to: string,
  holds: (module: typeof Page) => Promise<boolean>,
): Guarded => ({
  point,
  what,
  change: { file: 'shell/page.ts', from, to },
  holds,
});
const address = (what: string, from: string, to: string, other: string): Guarded => ({
  point: 13,
  what,
  change: { file: 'shell/page.ts', from, to },
  holds: ({ isOwnAddress }: typeof Page) => isOwnAddress('app://anchor/#/runs') && !isOwnAddress(other),
});

const GUARDS: readonly Guarded[] = [
  address('no other scheme is ours', 'url.protocol === `${SCHEME}:` && ', '', 'http://anchor/'),
  address('no other host is ours', ' && url.host === HOST', '', 'app://anchor.example/'),
  address('no address with a user is ours', ` && url.username === ''`, '', 'app://x@anchor/'),
  preferences(2, 'nodeIntegration', false),
  preferences(2, 'nodeIntegrationInWorker', false),
  preferences(2, 'nodeIntegrationInSubFrames', false),
  preferences(3, 'contextIsolation', true),
  preferences(4, 'sandbox', true),
  session(
    5,
    'permissions are denied when asked for',
    'session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));',
    async ({ grants }) => {
      const names = [
        'media',
        'geolocation',
        'notifications',
        'midi',
        'midiSysex',
        'pointerLock',
        'keyboardLock',
        'fullscreen',
        'openExternal',
        'clipboard-read',
        'clipboard-sanitized-write',
        'display-capture',
        'mediaKeySystem',
        'storage-access',
        'top-level-storage-access',
        'window-management',
        'fileSystem',
        'hid',
        'serial',
        'usb',
        'idle-detection',
        'speaker-selection',
        'unknown',
      ];
      return (await Promise.all(names.map(grants))).every((granted) => !granted);
    },
  ),
  session(
    5,
    'permissions are denied when looked up',
    'session.setPermissionCheckHandler(() => false);',
    ({ hooks }) => hooks.permissionCheck?.(null, 'media') === false,
  ),
  session(
    5,
    'devices are denied',
    'session.setDevicePermissionHandler(() => false);',
    ({ hooks }) => hooks.devicePermission?.({}) === false,
  ),
  session(
    5,
    'screens are not shown',
    'answer(null)',
    async ({ showsScreen }) => !(await showsScreen()),
    `answer({ video: { id: 'screen:0:0', name: '' } })`,
  ),
  preferences(6, 'webSecurity', true),
  page(
    7,
    'the page has its policy',
    `, 'Content-Security-Policy': isPage ? pagePolicy(nonce, []) : FILE_POLICY`,
    '',
    async (module) => {
      const { policy, text } = await askedPage(module, 'app://anchor/');
      const nonce = /content="([^"]+)"/.exec(text)?.[1] ?? 'none';
      return (
        policy.includes(`default-src 'none'`) &&
        policy.includes(`script-src 'self';`) &&
        policy.includes(`connect-src 'none'`) &&
        policy.includes(`frame-ancestors 'none'`) &&
        policy.includes(`require-trusted-types-for 'script'; trusted-types default`) &&
        policy.includes(`style-src 'self' 'nonce-${nonce}'`) &&
        !/unsafe|https?:|\*/.test(policy)
      );
    },
  ),
  page(
    7,
    'each page has a nonce of its own',
    'const nonce = freshNonce();',
    `const nonce = 'same';`,
    async (module) =>
      (await askedPage(module, 'app://anchor/')).text !== (await askedPage(module, 'app://anchor/')).text,
  ),
  preferences(8, 'allowRunningInsecureContent', false),
  preferences(9, 'experimentalFeatures', false),
  {
    point: 10,
    what: 'no Blink features are switched on',
    change: {
      file: 'shell/page.ts',
      from: 'plugins: false,',
      to: `plugins: false, enableBlinkFeatures: 'X',`,
    },
    holds: ({ webPreferences }: typeof Page) =>
      !('enableBlinkFeatures' in webPreferences('/preload.cjs', false)),
  },
  preferences(11, 'webviewTag', false),
  preferences(11, 'plugins', false),
  preferences(13, 'navigateOnDragDrop', false),
  contents(
    12,
    'no embedded page is attached',
    `contents.on('will-attach-webview', (event) => event.preventDefault());`,
    '',
    ({ attaches }) => !attaches(),
  ),
  contents(
    13,
    'the page goes nowhere else',
    'if (!isOwnAddress(event.url)) event.preventDefault(); });\n  // The page',
    '});\n  // The page',
    ({ topNavigates }) => topNavigates('app://anchor/') && !topNavigates('https://example.invalid/'),
  ),
  contents(
    13,
    'a frame goes nowhere at all',
    '!event.isMainFrame || ',
    '',
    ({ frameNavigates }) => !frameNavigates('app://anchor/'),
  ),
  contents(
    13,
    'the top frame goes nowhere else, whoever moves it',
    '|| !isOwnAddress(event.url)',
    '',
    ({ frameNavigates }) => !frameNavigates('https://example.invalid/', true),
  ),
  contents(
    13,
    'no redirect is followed',
    `contents.on('will-redirect', (event) => event.preventDefault());`,
    '',
    ({ redirects }) => !redirects('app://anchor/'),
  ),
  contents(14, 'no page opens a window', `action: 'deny'`, `action: 'allow'`, ({ opens }) => !opens()),
  refuses('otherWindow', `if (!this.#isOurWindow(sender.id)) return 'not our window';`, ''),
  refuses('goneFrame', `return 'a frame that is gone';`, 'return null;'),
  refuses(
    'innerFrame',
    'senderFrame.parent !== null || senderFrame.processId !== processId || senderFrame.routingId !== routingId',
    'senderFrame.processId !== processId',
  ),
  refuses('detachedFrame', ' || senderFrame.routingId !== routingId', ''),
  refuses('otherProcess', 'senderFrame.processId !== processId || ', ''),
  refuses('otherPage', `isOwnAddress(senderFrame.url) ? null : 'not our page'`, 'null'),
  {
    point: 17,
    what: 'a message in a wrong form is refused',
    change: {
      file: 'shell/ipc.ts',
      from: 'if (words?.success === true) return',
      to: 'if (words !== null) return',
    },
    holds: (module: typeof Ipc) => !guardOf(module).guard.admit('engine:open', SPEAKERS.ours, ['1']).ok,
  },
  {
    point: 17,
    what: 'a flood is refused',
    change: {
      file: 'shell/ipc.ts',
      from: `(this.#allowances[channel].take() ? null : 'too often')`,
      to: 'null',
    },
    holds: (module: typeof Ipc) => {
      const { guard } = guardOf(module);
      return (
        Array.from({ length: 10_000 }, () => guard.admit('engine:send', SPEAKERS.ours, [1, '']).ok).filter(
          Boolean,
        ).length < 1000
      );
    },
  },
  page(
    18,
    'only listed files of our own host are served',
    'if (!isOwnAddress(url)) return refused(404);',
    '',
    async (module) => (await askedPage(module, 'app://evil/a.js')).status === 404,
  ),
  page(
    18,
    'only reading is answered',
    `if (method !== 'GET' && method !== 'HEAD') return refused(405);`,
    '',
    async (module) => (await askedPage(module, 'app://anchor/', 'POST')).status === 405,
  ),
  page(
    18,
    'the scheme has no right that weakens the policy',
    'codeCache: true',
    'codeCache: true, bypassCSP: true',
    async ({ SCHEME_PRIVILEGES }) =>
      Object.keys(SCHEME_PRIVILEGES).sort().join() === 'codeCache,secure,standard,supportFetchAPI',
  ),
  session(
    0,
    'nothing is downloaded',
    `session.on('will-download', (event) => event.preventDefault());`,
    ({ downloads }) => !downloads(),
  ),
  session(
    0,
    'no dictionary is fetched',
    'session.setSpellCheckerEnabled(false);',
    ({ hooks }) => !hooks.spellChecker,
  ),
  session(
    0,
    'dictionaries would be sought at home',
    'session.setSpellCheckerDictionaryDownloadURL(`${START_ADDRESS}no-dictionaries/`);',
    ({ hooks }) => hooks.dictionaries.startsWith('app://anchor/'),
  ),
  session(
    0,
    'nothing but our own page is asked for',
    'answer({ cancel });',
    async ({ lets }) => {
      const others = [
        'https://example.invalid/',
        'http://127.0.0.1:9/',
        'ws://127.0.0.1:9/',
        'wss://example.invalid/',
        'file:///etc/passwd',
        'app://evil/',
        'blob:app://anchor/1',
        'data:text/html,x',
        'chrome://version/',
        'ftp://example.invalid/',
      ];
      return (
        (await lets('app://anchor/a.js')) &&
        (await lets('data:image/png;base64,', 'image')) &&
        !(await Promise.all(others.map((url) => lets(url)))).some(Boolean)
      );
    },
    'answer({ cancel: false });',
  ),
  session(
    0,
    'tools of developers are closed to everybody else',
    '(devTools && url',
    async ({ lets }) => !(await lets('devtools://devtools/bundled/inspector.html')),
    '(true && url',
  ),
  session(
    0,
    'what is refused is told',
    'if (cancel) onRefused(',
    async ({ lets, refused }) => {
      await lets(`https://example.invalid/${'x'.repeat(2000)}`);
      return refused.length === 1 && (refused[0]?.url.length ?? 0) <= 500;
    },
    'if (false) onRefused(',
  ),
  {
    point: 0,
    what: 'Chromium asks nobody by itself',
    change: { file: 'shell/page.ts', from: `['host-resolver-rules', 'MAP * ~NOTFOUND'],`, to: '' },
    holds: ({ SWITCHES }: typeof Page) =>
      [
        'host-resolver-rules',
        'proxy-server',
        'proxy-bypass-list',
        'disable-background-networking',
        'disable-component-update',
        'disable-domain-reliability',
        'no-pings',
      ].every((name) => SWITCHES.some(([set]) => set === name)),
  },
];

describe('the security checklist', () => {
  it.each(GUARDS)('$point: $what', async ({ change, holds }) => {
    expect(await holds(await whole<never>(change.file))).toBe(true);
    expect(await holds(await mutant<never>(change))).toBe(false);
  });

  it.each([
    'app://anchor/../../etc/passwd',
    'app://anchor/%2e%2e%2fetc/passwd',
    'app://anchor/%2e%2e/%2e%2e/etc/passwd',
    'app://anchor/a.js%00',
    'app://anchor/..\\a.js',
    'app://anchor//host/a.js',
    'app://anchor/index.html',
    'app://anchor/manifest.json',
    'app://anchor/A.js',
    'app://anchor/a.js/',
    'app://ANCHOR.evil/a.js',
    'app://anchor:1/a.js',
  ])('18: %s is not served', async (url) => {
    expect((await askedPage(await whole('shell/page.ts'), url)).status).toBe(404);
  });

  it('18: a listed file is served with its type, and nothing may be guessed from it', async () => {
    const { status, text, headers } = await askedPage(await whole('shell/page.ts'), 'app://anchor/a.js?x#y');
    expect([status, text, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      '1',
      'text/javascript',
      'nosniff',
    ]);
  });
});

describe('what is not there', () => {
  const root = join(import.meta.dirname, '../../..');
  /** 15: nothing is ever handed to the system to open. */
  const opensOutside = (source: string): boolean =>
    /\bopenExternal\b|\bopenPath\b|\bshell\s*[,}].*from 'electron'/.test(source);
  const sources = [
    'electron/main.ts',
    'electron/preload.ts',
    'electron/shell/start.ts',
    'electron/shell/main-window.ts',
    'electron/shell/menu.ts',
    'electron/shell/ipc.ts',
  ];

  it.each(sources)('15: %s opens nothing outside', (file) => {
    expect(opensOutside(readFileSync(join(root, file), 'utf8'))).toBe(false);
  });
  it('15: the scan would notice', () => {
    expect(
      opensOutside(`import { app, shell } from 'electron'`) && opensOutside('shell.openExternal(url)'),
    ).toBe(true);
  });
  it.each(sources)('%s starts no updater and reports no crashes', (file) => {
    expect(readFileSync(join(root, file), 'utf8')).not.toMatch(/autoUpdater|crashReporter|electron-updater/);
  });
});

/** The three newest major versions get security fixes; looked up when the pin was last moved. */
const SUPPORTED_MAJORS = [43, 44, 45];

describe('16: Electron', () => {
  const root = join(import.meta.dirname, '../../..');
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };

  it('is pinned exactly, to a version that still gets fixes', () => {
    expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages['node_modules/electron']?.version).toBe(devDependencies['electron']);
    expect(SUPPORTED_MAJORS).toContain(Number(devDependencies['electron']?.split('.')[0]));
  });
  it('updates itself by no package', () => {
    expect(
      Object.keys(packages).filter((name) =>
        /electron-updater|update-electron-app|squirrel-startup/.test(name),
      ),
    ).toEqual([]);
  });
});
