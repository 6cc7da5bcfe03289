import { useState } from 'react';
import { Button, Group, NumberInput, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { PathForm } from '../datasets/path-form.tsx';

const FIRST_LIMIT = 100; // some ten minutes with a small judge; all 602 of HarmBench's labels take an hour

type CalibrateFormProps = {
  model: string;
  isBusy: boolean;
  onCalibrate: (path: string, limit: number | null) => void;
};

/** Measures a judge against a set that people labelled. */
export function CalibrateForm({ model, isBusy, onCalibrate }: CalibrateFormProps) {
  const t = useTranslate();
  const [path, setPath] = useState('');
  const [limit, setLimit] = useState<number | null>(FIRST_LIMIT);
  return (
    <>
      <Text size="sm" mb="xs">
        {t('evaluations.calibrate.text', { model })}
      </Text>
      <PathForm
        path={path}
        title={t('evaluations.calibrate.path')}
        text={t('evaluations.calibrate.files')}
        action={t('evaluations.calibrate.take')}
        onLook={setPath}
      />
      {path !== '' && (
        <Text size="xs" c="var(--quiet)" mt={4}>
          {t('evaluations.calibrate.chosen', { path })}
        </Text>
      )}
      <Group align="flex-end" mt="sm">
        <NumberInput
          w={160}
          size="sm"
          label={t('evaluations.calibrate.limit')}
          placeholder={t('evaluations.order.limit.all')}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          value={limit ?? ''}
          onChange={(value) => setLimit(typeof value === 'number' && value >= 1 ? value : null)}
        />
        <Button disabled={path === ''} loading={isBusy} onClick={() => onCalibrate(path, limit)}>
          {t('evaluations.calibrate.start')}
        </Button>
      </Group>
    </>
  );
}
