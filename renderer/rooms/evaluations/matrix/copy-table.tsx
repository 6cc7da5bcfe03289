import { Button, Menu } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

export const TABLE_FORMATS = ['markdown', 'latex', 'csv'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** The table as text for a paper or a sheet, on the clipboard. */
export function CopyTable({ isBusy, onCopy }: { isBusy: boolean; onCopy: (format: TableFormat) => void }) {
  const t = useTranslate();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" loading={isBusy}>
          {t('evaluations.copy')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {TABLE_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => onCopy(format)}>
            {t(`evaluations.copy.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
