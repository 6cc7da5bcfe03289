import { useState } from 'react';
import type { DatasetPreview } from '../../../../electron/contract/index.ts';
import { visibleString } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Veil } from '../parts/veil.tsx';

const MOST_CHARACTERS = 220; // of one cell; a preview shows what a column holds, not all of it

/** The first rows of a set, as they will be read. */
export function PreviewTable({ preview: { columns, rows, hazardous } }: { preview: DatasetPreview }) {
  const t = useTranslate();
  const [isRevealed, setRevealed] = useState(false);
  return (
    <Veil isVeiled={hazardous && !isRevealed} onReveal={() => setRevealed(true)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="evaluations-preview" tabIndex={0} role="region" aria-label={t('evaluations.preview')}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, cells }) => (
              <tr key={id}>
                {cells.map((cell, index) => (
                  <td key={columns[index] ?? index}>{cut(visibleString(cell))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Veil>
  );
}

const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
