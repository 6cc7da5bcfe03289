import { useState, type DragEvent, type FormEvent } from 'react';
import type { AnchorBridge } from '../../electron/contract/index.ts';
import { hasTabKey, signWithTab, tabKey } from './tab-key.ts';

/** What the desktop shell offers its page; null in a browser tab. */
export const bridge: AnchorBridge | null = (globalThis as { anchor?: AnchorBridge }).anchor ?? null;

/** The shell gives its page no permission, not even for the clipboard; the same call goes through the bridge there. */
if (bridge !== null) {
  const { copyText } = bridge;
  Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: (text: string): Promise<void> => copyText(text) },
    configurable: true,
  });
}

/** The parts of a WebSocket that tRPC's client uses, over the bridge: the same protocol on another wire. */
export class BridgeSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState: number = BridgeSocket.CONNECTING;
  readonly url: string;
  readonly #connection: ReturnType<AnchorBridge['connect']>;

  constructor(url: string) {
    super();
    this.url = url;
    if (bridge === null) throw new Error('The bridge exists in the desktop window only.');
    this.#connection = bridge.connect((kind, data) => {
      if (kind === 'message') {
        this.dispatchEvent(new MessageEvent('message', { data }));
      } else {
        this.readyState = kind === 'open' ? BridgeSocket.OPEN : BridgeSocket.CLOSED;
        this.dispatchEvent(kind === 'open' ? new Event('open') : new CloseEvent('close'));
      }
    });
  }

  send(data: string): void {
    this.#connection.send(data);
  }

  close(): void {
    if (this.readyState >= BridgeSocket.CLOSING) return;
    this.readyState = BridgeSocket.CLOSED;
    this.#connection.close();
    this.dispatchEvent(new CloseEvent('close'));
  }
}

/** Kept in the page's own storage: unlike the cookie it belongs to this port alone. */
const KEY_PLACE = 'anchor.key';

/** What the host says of this window. `away`: it does not answer. */
type Admission = 'in' | 'out' | 'away';

const NOTES = '#/demo/notes';
/** Whether this is the desktop's second window: the shell refuses whatever it says, so it never connects. */
export const isNotesWindow = bridge !== null && location.hash === NOTES;

/** Opens the presenter's notes in a window of their own, or brings it to the front. False where the browser does not let it. */
export function openNotes(): boolean {
  if (bridge === null) {
    const { origin, pathname } = location;
    return window.open(`${origin}${pathname}${NOTES}`, 'anchor-notes', 'width=620,height=560') !== null;
  }
  bridge.openNotes();
  return true;
}

const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
if (bridge !== null && !isNotesWindow) enter(); // the shell's window needs no key: the bridge is its own

/** Resolves when this window may connect. */
export { entered };

export const sessionKey = (): string => localStorage.getItem(KEY_PLACE) ?? '';

/** The token and the place of an address that `anchor serve` or `anchor open` printed; null for any other address. */
export function ticketOf(hash: string): { token: string; to: string } | null {
  const found = new URLSearchParams(hash.replace(/^#/, ''));
  const token = found.get('token');
  const to = found.get('to') ?? '/';
  return token === null ? null : { token, to: to.startsWith('/') ? to : '/' };
}

/**
 * Signs this window in before anything else happens. A token in the address is exchanged and taken out of it, so that it stays
 * neither on the screen nor in the history.
 */
export async function signIn(): Promise<Admission> {
  if (bridge !== null) return 'in';
  const ticket = ticketOf(location.hash);
  if (ticket === null) return admission();
  history.replaceState(null, '', `#${ticket.to}`);
  try {
    // A link opened twice in one browser: its token is used, and the browser is in.
    return (await exchange({ token: ticket.token })) ? 'in' : await admission();
  } catch {
    return 'away';
  }
}

/** Whether this window is still signed in; one that was comes in again by itself where its program was started again. */
export async function admission(): Promise<Admission> {
  if (bridge !== null) return 'in';
  try {
    const answer = await ask('/session', { headers: { 'X-Anchor-Key': sessionKey() } });
    if (!answer.ok) return (await comeBack(answer)) ? 'in' : 'out';
    enter();
    return 'in';
  } catch {
    return 'away';
  }
}

/** Signs what the program asks of a tab that it let in before. False where it does not know this one, or lets none come back. */
async function comeBack(refusal: Response): Promise<boolean> {
  if (!hasTabKey()) return false;
  const { challenge } = (await refusal.json()) as { challenge: string };
  return exchange({ tab: await tabKey(), signature: await signWithTab(challenge) });
}

/** Shows what lets this window in, and keeps the key of its session. */
async function exchange(shown: { token: string } | { tab: string; signature: string }): Promise<boolean> {
  const answer = await ask('/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Anchor': '1' },
    body: JSON.stringify(shown),
  });
  if (!answer.ok) return false;
  const { key } = (await answer.json()) as { key: string };
  localStorage.setItem(KEY_PLACE, key);
  enter();
  return true;
}

/** The host that this page came from is the only place it ever asks. */
function ask(path: '/session', init: RequestInit): Promise<Response> {
  // oxlint-disable-next-line no-restricted-globals -- the page's own host on this machine; the policy of the page allows no other
  return fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
}

type PathChoiceOptions = {
  /** What stands there at first. */ path: string;
  title: string;
  extensions: readonly string[];
  onLook: (path: string) => void;
};

type PathChoice = {
  text: string;
  setText: (text: string) => void;
  submit: (event: FormEvent) => void;
  /** Opens the system's dialog; null in a tab of a browser, which has none for paths. */
  choose: ((kind: 'file' | 'folder') => void) | null;
  /** For the element that takes what is dropped. */
  target: {
    'data-over': boolean;
    onDragOver: (event: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (event: DragEvent) => void;
  };
  /** Something was dropped whose path a browser does not reveal to a tab. */
  isWithoutPath: boolean;
};

/** A path of this machine: typed, chosen in the system's dialog, or dropped. `onLook` gets the path that a person settled on. */
export function usePathChoice({ path, title, extensions, onLook }: PathChoiceOptions): PathChoice {
  const [text, setText] = useState(path);
  const [isOver, setOver] = useState(false);
  const [isWithoutPath, setWithoutPath] = useState(false);
  const take = (wanted: string): void => {
    setText(wanted);
    setWithoutPath(false);
    if (wanted !== '') onLook(wanted);
  };
  const chooseFrom = async (shell: NonNullable<typeof bridge>, kind: 'file' | 'folder'): Promise<void> => {
    const [chosen] = await shell.choosePaths({
      kind,
      many: false,
      title,
      extensions: kind === 'file' ? [...extensions] : [],
    });
    if (chosen !== undefined) take(chosen);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    if (bridge === null) setWithoutPath(true);
    else take(bridge.pathOf(file));
  };
  return {
    text,
    setText,
    isWithoutPath,
    choose: bridge === null ? null : (kind) => void chooseFrom(bridge as NonNullable<typeof bridge>, kind),
    submit: (event) => {
      event.preventDefault();
      take(text.trim());
    },
    target: {
      'data-over': isOver,
      onDragOver: (event) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: drop,
    },
  };
}
