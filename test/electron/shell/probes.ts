import type { Session, WebContents } from 'electron';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBundle } from '../../../electron/hosts/index.ts';
import type { IpcGuard, Speaker } from '../../../electron/shell/ipc.ts';
import type { answerPage, lockContents, lockSession, RefusedRequest } from '../../../electron/shell/page.ts';
import { hooks, isGranted, isShownScreen, theSession, verdictOn } from '../../double/session.ts';
import { preventable } from '../../double/strict.ts';
import { WebContents as StandInContents } from '../../double/web-contents.ts';

/** A session that the module under test has locked, as the stand-in for Electron sees it; its default is Electron's: everything is granted. */
export function lockedSession({ lockSession: lock }: { lockSession: typeof lockSession }) {
  Object.assign(hooks, {
    beforeRequest: null,
    permissionRequest: null,
    permissionCheck: null,
    devicePermission: null,
    displayMedia: null,
    spellChecker: true,
    dictionaries: 'https://example.invalid/',
  });
  theSession.removeAllListeners();
  const refused: RefusedRequest[] = [];
  lock(theSession as unknown as Session, (request) => void refused.push(request));
  return {
    refused,
    hooks,
    grants: (permission: string) => isGranted(permission),
    showsScreen: isShownScreen,
    lets: (url: string, resourceType = 'xhr') => verdictOn({ url, method: 'GET', resourceType }),
    downloads: (): boolean => {
      const { event, wasPrevented } = preventable({});
      theSession.emit('will-download', event, {}, null);
      return !wasPrevented();
    },
  };
}

/** A page's contents that the module under test has locked. */
export function lockedContents({ lockContents: lock }: { lockContents: typeof lockContents }) {
  const contents = new StandInContents();
  let opens = true;
  contents.setWindowOpenHandler = (handler) => {
    opens = handler({ url: 'https://example.invalid/' }).action === 'allow';
  };
  lock(contents as unknown as WebContents);
  const happens = (name: string, fields: object): boolean => {
    const { event, wasPrevented } = preventable(fields);
    contents.emit(name, event);
    return !wasPrevented();
  };
  return {
    opens: () => opens,
    navigates: (url: string, isMainFrame = true) => contents.allowsNavigation(url, isMainFrame),
    topNavigates: (url: string) => happens('will-navigate', { url, isMainFrame: true }),
    frameNavigates: (url: string, isMainFrame = false) =>
      happens('will-frame-navigate', { url, isMainFrame }),
    redirects: (url: string) => happens('will-redirect', { url }),
    attaches: () => happens('will-attach-webview', {}),
  };
}

/** Asks the module under test for addresses of a small real bundle. */
export async function askedPage(
  { answerPage: answer }: { answerPage: typeof answerPage },
  url: string,
  method = 'GET',
) {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-bundle-'));
  try {
    const files = { 'index.html': '<meta content="__STYLE_NONCE__">', 'a.js': '1' };
    const listed = Object.fromEntries(
      Object.entries(files).map(([name, text]) => {
        writeFileSync(join(folder, name), text);
        return [
          name,
          {
            sha256: createHash('sha256').update(text).digest('hex'),
            bytes: text.length,
            type: name.endsWith('.js') ? 'text/javascript' : 'text/html',
          },
        ];
      }),
    );
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ fingerprint: 'x', files: listed }));
    const response = answer(openBundle(folder), { url, method });
    return {
      status: response.status,
      text: await response.text(),
      policy: response.headers.get('content-security-policy') ?? '',
      headers: response.headers,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TOP = { url: 'app://anchor/#/runs', parent: null, processId: 4, routingId: 1 };
/** What a message from our own page looks like, and each way in which one is not. */
export const SPEAKERS = {
  ours: { sender: { id: 7, mainFrame: TOP }, senderFrame: TOP },
  otherWindow: { sender: { id: 8, mainFrame: TOP }, senderFrame: TOP },
  goneFrame: { sender: { id: 7, mainFrame: TOP }, senderFrame: null },
  innerFrame: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, parent: TOP, routingId: 2 } },
  detachedFrame: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, routingId: 3 } },
  otherProcess: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, processId: 5 } },
  otherPage: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, url: 'https://example.invalid/' } },
  blankPage: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, url: 'about:blank' } },
  similarPage: { sender: { id: 7, mainFrame: TOP }, senderFrame: { ...TOP, url: 'app://anchor.example/' } },
} as unknown as Record<string, Speaker> & { ours: Speaker };

export function guardOf({ IpcGuard: Guard }: { IpcGuard: typeof IpcGuard }) {
  let nowMs = 0;
  const refused: string[] = [];
  const guard = new Guard(
    (id) => id === 7,
    () => nowMs,
    (channel, why) => void refused.push(`${channel}: ${why}`),
  );
  return {
    guard,
    refused,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}
