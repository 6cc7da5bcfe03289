import type { AnchorBridge } from '../../electron/contract/index.ts';

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
