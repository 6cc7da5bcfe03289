import { useEffect, useState } from 'react';
import { z } from 'zod';
import { useTranslate } from '../../i18n/index.ts';
import { durationText, Page, Quiet, useInterval } from '../../ui/index.ts';
import { PARTS, type Part } from './model.ts';

/** What the presented window tells the one with the notes; both are of one origin and one machine. */
const told = z.object({ part: z.enum(PARTS) });
const CHANNEL = 'anchor-demo';
/** What a window with notes says when it opens. */
const ASKING = 'which';

function tell(channel: BroadcastChannel, message: z.input<typeof told> | typeof ASKING): void {
  // A channel reaches windows of this origin only and takes no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

/** Tells windows with notes which part is shown, and again whenever one asks. */
export function useTellNotes(part: Part): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    tell(channel, { part });
    channel.addEventListener('message', ({ data }) => {
      if (data === ASKING) tell(channel, { part });
    });
    return () => channel.close();
  }, [part]);
}

/** Opens the notes beside the presented window. False where that is not possible, as in the desktop's single window. */
export function openNotes(): boolean {
  const { href } = location;
  return (
    window.open(`${href.slice(0, href.indexOf('#'))}#/demo/notes`, 'anchor-notes', 'width=620,height=560') !==
    null
  );
}

/** What to say of a part, and what comes after it. */
export function Notes({ part }: { part: Part }) {
  const t = useTranslate();
  const next = PARTS[PARTS.indexOf(part) + 1];
  return (
    <aside className="demo-notes" aria-label={t('demo.notes')}>
      <h2>{t(`demo.part.${part}`)}</h2>
      <p>{t(`demo.notes.${part}`)}</p>
      <Quiet>
        {next === undefined ? t('demo.notes.last') : t('demo.notes.next', { part: t(`demo.part.${next}`) })}
      </Quiet>
    </aside>
  );
}

const MOMENT = 1000;

/** /demo/notes: a second window for whoever speaks; it follows the presented one. */
export function NotesPage() {
  const t = useTranslate();
  const [part, setPart] = useState<Part | null>(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }) => {
      const message = told.safeParse(data);
      if (message.success) setPart(message.data.part);
    });
    tell(channel, ASKING);
    return () => channel.close();
  }, []);
  useInterval(() => setSeconds((before) => before + 1), MOMENT, { autoInvoke: true });
  return (
    <Page title={t('demo.notes.title')} aside={<Quiet className="numbers">{durationText(seconds)}</Quiet>}>
      {part === null ? <Quiet>{t('demo.notes.waiting')}</Quiet> : <Notes part={part} />}
    </Page>
  );
}
