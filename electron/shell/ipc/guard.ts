import type { WebContents, WebFrameMain } from 'electron';
import { Allowance } from '../../hosts/index.ts';
import { isOwnAddress } from '../page/address.ts';
import { PAGE_CHANNELS, PAGE_RATES, type PageChannel, type PageWords } from './channels.ts';

/** The parts of Electron's IPC event that tell who speaks. */
export type Speaker = {
  sender: Pick<WebContents, 'id' | 'mainFrame'>;
  senderFrame: Pick<WebFrameMain, 'url' | 'parent' | 'processId' | 'routingId'> | null;
};

export type Verdict<C extends PageChannel> = { ok: true; words: PageWords<C> } | { ok: false; why: string };

/** Decides about every message that reaches the shell: who sent it, in which form, how often. */
export class IpcGuard {
  readonly #isOurWindow: (contentsId: number) => boolean;
  readonly #allowances: Record<PageChannel, Allowance>;
  readonly #onRefused: (channel: string, why: string) => void;

  constructor(
    isOurWindow: (contentsId: number) => boolean,
    nowMs: () => number,
    onRefused: (channel: string, why: string) => void,
  ) {
    this.#isOurWindow = isOurWindow;
    this.#onRefused = onRefused;
    this.#allowances = Object.fromEntries(
      Object.entries(PAGE_RATES).map(([channel, { burst, perSecond }]) => [
        channel,
        new Allowance(burst, perSecond, nowMs),
      ]),
    ) as Record<PageChannel, Allowance>;
  }

  /** Refusals are counted where `onRefused` leads; the sender learns nothing but that nothing happens. */
  admit<C extends PageChannel>(channel: C, event: Speaker, args: unknown[]): Verdict<C> {
    const why = this.#stranger(event) ?? (this.#allowances[channel].take() ? null : 'too often');
    const words = why === null ? PAGE_CHANNELS[channel].safeParse(args) : null;
    if (words?.success === true) return { ok: true, words: words.data as PageWords<C> };
    const reason =
      why ??
      `wrong form: ${words?.error?.issues[0]?.path.join('.') ?? ''} ${words?.error?.issues[0]?.message ?? ''}`;
    this.#onRefused(channel, reason);
    return { ok: false, why: reason };
  }

  /** Why this sender may not speak; null for the top frame of our own page in our own window. */
  #stranger({ sender, senderFrame }: Speaker): string | null {
    if (!this.#isOurWindow(sender.id)) return 'not our window';
    if (senderFrame === null) return 'a frame that is gone';
    const { processId, routingId } = sender.mainFrame;
    if (
      senderFrame.parent !== null ||
      senderFrame.processId !== processId ||
      senderFrame.routingId !== routingId
    )
      return 'not the top frame';
    return isOwnAddress(senderFrame.url) ? null : 'not our page';
  }
}
