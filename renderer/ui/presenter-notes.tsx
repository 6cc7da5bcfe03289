import { useEffect, useState } from 'react';
import { z } from 'zod';
import { useTranslate } from '../i18n/index.ts';
import { Button } from './mantine.ts';
import { Quiet } from './values.tsx';

/** What to say of what is presented, and what comes after it. */
const notesSchema = z.object({ title: z.string(), text: z.string(), next: z.string() });
export type PresenterNotes = z.infer<typeof notesSchema>;

/** From the presented window to the one with the notes; both are of one origin and one machine. */
const CHANNEL = 'anchor-notes';
/** What a window with notes says when it opens. */
const ASKING = 'which';

function tell(channel: BroadcastChannel, message: PresenterNotes | typeof ASKING): void {
  // A channel reaches windows of this origin only and takes no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

/** Tells windows with notes what is shown, and again whenever one asks. */
function useTellNotes({ title, text, next }: PresenterNotes): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    tell(channel, { title, text, next });
    channel.addEventListener('message', ({ data }) => {
      if (data === ASKING) tell(channel, { title, text, next });
    });
    return () => channel.close();
  }, [title, text, next]);
}

/** What the presented window shows; null until it told. */
export function usePresentedNotes(): PresenterNotes | null {
  const [notes, setNotes] = useState<PresenterNotes | null>(null);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }) => {
      const message = notesSchema.safeParse(data);
      if (message.success) setNotes(message.data);
    });
    tell(channel, ASKING);
    return () => channel.close();
  }, []);
  return notes;
}

export function Notes({ notes: { title, text, next } }: { notes: PresenterNotes }) {
  const t = useTranslate();
  return (
    <aside className="ui-notes" aria-label={t('notes')}>
      <h2>{title}</h2>
      <p>{text}</p>
      <Quiet>{next}</Quiet>
    </aside>
  );
}

type PresenterButtonsProps = {
  present: boolean;
  onPresent: (present: boolean) => void;
  notes: PresenterNotes;
  /** Opens them in a window of their own. */
  onNotes: () => void;
};

/** Into presenter mode and out of it, and the way to the notes meanwhile. */
export function PresenterButtons({ present, onPresent, ...rest }: PresenterButtonsProps) {
  const t = useTranslate();
  return (
    <>
      <Button variant="default" aria-pressed={present} onClick={() => onPresent(!present)}>
        {t(present ? 'present.leave' : 'present')}
      </Button>
      {present && <NotesButton {...rest} />}
    </>
  );
}

/** The notes are for whoever speaks: the screen that everybody sees never shows them. */
function NotesButton({ notes, onNotes }: Pick<PresenterButtonsProps, 'notes' | 'onNotes'>) {
  const t = useTranslate();
  useTellNotes(notes);
  return (
    <Button variant="default" onClick={onNotes}>
      {t('notes')}
    </Button>
  );
}
