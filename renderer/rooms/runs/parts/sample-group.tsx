import type { RunRow } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, Checkbox, ConfirmButton, Quiet, StatusDot, visibleString } from '../../../ui/index.ts';

type SampleGroupProps = {
  rows: readonly RunRow[];
  picked: readonly string[];
  onPick: (id: string) => void;
  onOpen: (id: string) => void;
  onDemo: () => void;
  onDelete: () => void;
};

/** The runs of the recorded sample, apart from the lab's own and marked as what they are; they can be opened, compared and deleted. */
export function SampleGroup({ rows, picked, onPick, onOpen, onDemo, onDelete }: SampleGroupProps) {
  const t = useTranslate();
  if (rows.length === 0) return null;
  return (
    <section className="runs-sample" aria-label={t('runs.sample')}>
      <strong>{t('runs.sample')}</strong>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <Checkbox
              size="xs"
              checked={picked.includes(row.id)}
              aria-label={t('runs.pick', { name: row.name })}
              onChange={() => onPick(row.id)}
            />
            <Button size="compact-sm" variant="subtle" onClick={() => onOpen(row.id)}>
              {visibleString(row.name)}
            </Button>
            <StatusDot state={row.state} />
            <Quiet size="xs" span className="numbers">
              {t('runs.progress', { done: row.committedSteps, steps: row.steps })}
            </Quiet>
          </li>
        ))}
      </ul>
      <span className="ui-spring" />
      <Button size="compact-sm" variant="default" onClick={onDemo}>
        {t('runs.sample.demo')}
      </Button>
      <ConfirmButton
        label={t('tour.delete')}
        title={t('tour.delete.title')}
        consequence={t('tour.delete.text')}
        confirm={t('tour.delete.confirm')}
        onConfirm={onDelete}
      />
    </section>
  );
}
