import { memo } from 'react';
import { Button, Group, Menu, SegmentedControl } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

export type RecordAct = 'link' | 'export' | 'context' | 'similar' | 'queue';

type RecordActionsProps = {
  view: 'rendered' | 'raw';
  onView: (view: 'rendered' | 'raw') => void;
  isFocused: boolean;
  onFocus: () => void;
  onAct: (act: RecordAct) => void;
};

const ACTS: readonly RecordAct[] = ['link', 'export', 'context', 'similar', 'queue'];

/** How the record is shown, and what can be done with it. */
export const RecordActions = memo(function RecordActions({
  view,
  onView,
  isFocused,
  onFocus,
  onAct,
}: RecordActionsProps) {
  const t = useTranslate();
  return (
    <Group gap={6} wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label={t('records.pair.view')}
        value={view}
        onChange={(value) => onView(value === 'raw' ? 'raw' : 'rendered')}
        data={[
          { value: 'rendered', label: t('records.pair.rendered') },
          { value: 'raw', label: t('records.pair.raw') },
        ]}
      />
      <Button variant="default" size="compact-sm" aria-pressed={isFocused} onClick={onFocus}>
        {t(isFocused ? 'records.focus.off' : 'records.focus.short')}
      </Button>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Button variant="default" size="compact-sm" aria-label={t('records.action.menu')}>
            {t('records.action.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ACTS.map((act) => (
            <Menu.Item key={act} onClick={() => onAct(act)}>
              {t(`records.action.${act}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
});
