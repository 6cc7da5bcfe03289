import { useEffect } from 'react';
import { useNotices, type Notice } from '../../data/index.ts';
import { Alert } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';

const GOOD_MS = 5000; // good news leaves by itself; a failure stays until it was read

const COLORS = { good: 'teal.9', bad: 'red.9', plain: 'gray' } as const; // dark enough for white text in both themes

/** Short messages at the window's edge. */
export function Notices() {
  const notices = useNotices((state) => state.notices);
  return (
    <div className="app-notices" aria-live="polite">
      {notices.map((notice) => (
        <OneNotice key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function OneNotice({ notice }: { notice: Notice }) {
  const t = useTranslate();
  const close = useNotices((state) => state.close);
  useEffect(() => {
    if (notice.tone === 'bad') return;
    const timer = window.setTimeout(() => close(notice.id), GOOD_MS);
    return () => window.clearTimeout(timer);
  }, [notice, close]);
  return (
    <Alert
      color={COLORS[notice.tone]}
      variant="filled"
      withCloseButton
      closeButtonLabel={t('common.close')}
      onClose={() => close(notice.id)}
      role={notice.tone === 'bad' ? 'alert' : 'status'}
    >
      {notice.text}
    </Alert>
  );
}
