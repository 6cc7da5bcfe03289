import { CopyButton as Copy } from '@mantine/core';
import { useTranslate } from '../i18n/index.ts';
import { Button } from './mantine.ts';

/** Copies text and says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTranslate();
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="compact-sm" onClick={copy}>
          {copied ? t('common.copied') : (label ?? t('common.copy'))}
        </Button>
      )}
    </Copy>
  );
}
