import { useState, type FormEvent } from 'react';
import { api, notify, useApiMutation } from '../../../data/index.ts';
import { Button, NativeSelect, Popover, Stack, TextInput } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const FORMATS = ['inspect', 'csv'] as const;

/** Writes an evaluation with all its answers to a file of this machine: a log that Inspect opens, or a table. */
export function ExportButton({ id }: { id: string }) {
  const t = useTranslate();
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('inspect');
  const [target, setTarget] = useState('');
  const [isOpen, setOpen] = useState(false);
  const write = useApiMutation(api.evaluations.exportItems);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    write.mutate(
      { id, format, target: target.trim() },
      {
        onSuccess: ({ path }) => {
          notify(t('evaluations.export.written', { path }));
          setOpen(false);
        },
      },
    );
  };
  return (
    <Popover position="bottom-end" withArrow trapFocus withinPortal opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
          {t('evaluations.export')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit} className="evaluations-picker">
          <Stack gap="sm">
            <NativeSelect
              size="sm"
              label={t('evaluations.export.format')}
              value={format}
              data={FORMATS.map((one) => ({ value: one, label: t(`evaluations.export.${one}`) }))}
              onChange={(event) => setFormat(event.currentTarget.value === 'csv' ? 'csv' : 'inspect')}
            />
            <TextInput
              size="sm"
              label={t('evaluations.export.path')}
              description={t('evaluations.export.text')}
              spellCheck={false}
              value={target}
              onChange={(event) => setTarget(event.currentTarget.value)}
            />
            <Button type="submit" size="sm" disabled={target.trim() === ''} loading={write.isPending}>
              {t('evaluations.export.write')}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
