import { Button, EmptyState } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { SampleState } from '../model.ts';

/** Before the sample is opened: what it is, and that it can be left alone. */
export function Intro({
  sample: { label },
  isOpening,
  onOpen,
  onSkip,
}: {
  sample: SampleState;
  isOpening: boolean;
  onOpen: () => void;
  onSkip: () => void;
}) {
  const t = useTranslate();
  const sum = (of: (run: SampleState['label']['runs'][number]) => number): number =>
    label.runs.reduce((total, run) => total + of(run), 0);
  const text = t('tour.intro.text', {
    date: new Date(label.recordedAt).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
    steps: label.runs[0]?.steps ?? 0,
    records: sum(({ rollouts }) => rollouts),
    reviews: sum(({ reviews }) => reviews),
  });
  return (
    <EmptyState title={t('tour.intro.title')} text={text}>
      <Button loading={isOpening} onClick={onOpen}>
        {t('tour.intro.open')}
      </Button>
      <Button variant="default" onClick={onSkip}>
        {t('tour.intro.skip')}
      </Button>
    </EmptyState>
  );
}
