import { useState } from 'react';
import { useTranslate } from '../../i18n/index.ts';
import { durationText, Notes, Page, Quiet, useInterval, usePresentedNotes } from '../../ui/index.ts';

const MOMENT = 1000;

/** /demo/notes: a second window for whoever speaks; it follows the one that presents the demo or the tour. */
export function NotesPage() {
  const t = useTranslate();
  const notes = usePresentedNotes();
  const [seconds, setSeconds] = useState(0);
  useInterval(() => setSeconds((before) => before + 1), MOMENT, { autoInvoke: true });
  return (
    <Page title={t('notes.title')} aside={<Quiet className="numbers">{durationText(seconds)}</Quiet>}>
      {notes === null ? <Quiet>{t('notes.waiting')}</Quiet> : <Notes notes={notes} />}
    </Page>
  );
}
