import { IconChartLine, IconDownload, IconTable } from '@tabler/icons-react';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { ActionIcon, Menu, VisuallyHidden } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { ChartTable as Numbers } from '../model/table.ts';
import { csvOf } from '../model/table.ts';
import { ChartTable } from './chart-table.tsx';
import { fileName, saveText } from './save-text.ts';

type ChartFrameProps = {
  title: string;
  /** Stands in the title's place where the title can be chosen; the title is then only heard. */
  heading?: ReactNode;
  /** Beside the title: direction, n, chips. */
  aside?: ReactNode;
  /** The figure's numbers, computed when they are asked for. */
  table: () => Numbers;
  /** The figure as a picture file that stands alone. */
  svg: () => string;
  /** How a number is shown in the table twin. */
  format: (value: number) => string;
  height: number;
  /** True where nothing can be drawn: the numbers are shown instead. */
  tableOnly?: boolean;
  children: ReactNode;
};

/** What every figure is set in: its title, a twin as a table behind `t`, and ways to take it along. */
export function ChartFrame({
  title,
  heading,
  aside,
  table,
  svg,
  format,
  height,
  tableOnly = false,
  children,
}: ChartFrameProps) {
  const t = useTranslate();
  const id = useId();
  const [wantsTable, setWantsTable] = useState(false);
  const isTable = wantsTable || tableOnly;
  const onKeyDown = (event: KeyboardEvent): void => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (
      event.key !== 't' ||
      hasModifier ||
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLSelectElement
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    setWantsTable(!wantsTable);
  };
  return (
    // The key works wherever in the figure the focus is; the button beside it does the same.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <figure className="fig" aria-labelledby={id} onKeyDown={onKeyDown}>
      <div className="fig-head">
        {heading === undefined ? (
          <h2 id={id}>{title}</h2>
        ) : (
          <>
            <VisuallyHidden id={id}>{title}</VisuallyHidden>
            {heading}
          </>
        )}
        {aside}
        <span className="kit-spring" />
        {!tableOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t(isTable ? 'figure.plot' : 'figure.table')}
            title={t(isTable ? 'figure.plot' : 'figure.table')}
            onClick={() => setWantsTable(!wantsTable)}
          >
            {isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
          </ActionIcon>
        )}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('figure.export')}
              title={t('figure.export')}
            >
              <IconDownload size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => saveText(fileName(title, 'svg'), 'image/svg+xml', svg())}>
              {t('figure.export.svg')}
            </Menu.Item>
            <Menu.Item onClick={() => saveText(fileName(title, 'csv'), 'text/csv', csvOf(table()))}>
              {t('figure.export.csv')}
            </Menu.Item>
            <Menu.Item onClick={() => void navigator.clipboard.writeText(csvOf(table()))}>
              {t('figure.export.copy')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {isTable ? <ChartTable numbers={table()} label={title} format={format} height={height} /> : children}
    </figure>
  );
}
