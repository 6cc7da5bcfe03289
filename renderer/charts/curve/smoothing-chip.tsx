import { Button, Popover, Slider, Text } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { MOST_SMOOTHING } from '../model/smoothing.ts';

/** How strongly the lines are smoothed, always in sight, and the slider to change it. */
export function SmoothingChip({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const t = useTranslate();
  return (
    <Popover width={280} withArrow trapFocus position="bottom-end">
      <Popover.Target>
        <Button
          variant="default"
          size="compact-xs"
          radius="xl"
          fw={400}
          aria-label={t('figure.smoothing', { value: value.toFixed(2) })}
          style={{ flex: 'none' }}
        >
          {t('figure.smoothing.short', { value: value.toFixed(2) })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="xs" mb="xs">
          {t('figure.smoothing.text')}
        </Text>
        <Slider
          min={0}
          max={MOST_SMOOTHING}
          step={0.01}
          value={value}
          onChange={onChange}
          label={(shown) => shown.toFixed(2)}
          thumbLabel={t('figure.smoothing.value')}
          data-autofocus
        />
      </Popover.Dropdown>
    </Popover>
  );
}
