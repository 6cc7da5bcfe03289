// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Heat, type HeatColumn } from '../../../renderer/charts/index.ts';
import { HEAT, heatPaths, heatSvg, meanPath, rowAt } from '../../../electron/figures/index.ts';
import { show } from '../ui/show.tsx';

afterEach(cleanup);

const COLUMNS: HeatColumn[] = [
  { from: 1, to: 1, counts: [4, 0, 0], mean: 0 },
  { from: 2, to: 2, counts: [0, 0, 0], mean: null },
  { from: 3, to: 3, counts: [1, 0, 15], mean: 0.9375 },
];

describe('a figure of how values are spread', () => {
  it('is darkest where a column has all of its values, and shows one of many still', () => {
    const paths = heatPaths(COLUMNS, { each: 10, rows: 3 });
    const levelOf = (place: string): number | undefined =>
      paths.find(({ path }) => path.includes(place))?.level;
    expect(levelOf(`M0.00 ${2 * HEAT.row}h`)).toBe(1);
    expect(levelOf('M20.00 0h')).toBe(1);
    expect(levelOf(`M20.00 ${2 * HEAT.row}h`)).toBe(0.3);
    expect(paths.map(({ path }) => path).join('')).not.toContain('M10.00');
  });

  it('draws its mean from the bottom row to the top one, not across a column without values', () => {
    const bottom = (2.5 * HEAT.row).toFixed(2);
    const near = ((3 - 0.5 - 0.9375 * 2) * HEAT.row).toFixed(2);
    expect(meanPath(COLUMNS, { each: 10, rows: 3 })).toBe(
      `M2.00 ${bottom}L5.00 ${bottom}M22.00 ${near}L25.00 ${near}`,
    );
  });

  it('says in words what it comes to, has its numbers as a table and as a picture that stands alone', () => {
    show(
      <Heat
        title="Rates"
        columnsFor={() => COLUMNS}
        rowLabels={['none', 'half', 'all']}
        xLabel="Step"
        cellText={({ from, to, counts, mean }) => `${from}-${to}: ${counts.join('/')} mean ${mean}`}
        note=""
        empty="nothing"
      />,
    );
    const figure = screen.getByRole('img');
    expect(figure.getAttribute('aria-label')).toBe('Rates: 1-3: 5/0/15 mean 0.75');
    fireEvent.keyDown(figure, { key: 't' });
    expect(screen.getAllByRole('row').map((row) => row.textContent)).toEqual([
      'Stepnonehalfallmean',
      '14000',
      '2000–',
      '310150.938',
    ]);
    const picture = heatSvg('A <b>', COLUMNS, ['none', 'half', 'all'], 'Step');
    expect(picture).toContain('A &lt;b&gt;');
    expect(picture).toContain('Step 1–3');
    expect(picture).not.toContain('var(--');
  });

  it('shows between which values something is kept, in the window and on paper', () => {
    const { container } = show(
      <Heat
        title="Rates"
        columnsFor={() => COLUMNS}
        rowLabels={['none', 'half', 'all']}
        xLabel="Step"
        cellText={() => ''}
        note=""
        empty="nothing"
        kept={[0.25, 1]}
      />,
    );
    const ends = [0.25, 1].map((end) => `M0 ${rowAt(end, 3)}h`);
    expect(ends).toEqual([`M0 ${2 * HEAT.row}h`, `M0 ${0.5 * HEAT.row}h`]);
    for (const end of ends) expect(container.innerHTML).toContain(`d="${end}`);
    expect(heatSvg('Rates', COLUMNS, ['none', 'half', 'all'], 'Step', [0.25, 1])).toContain(
      `M0 ${(2 * HEAT.row).toFixed(1)}h`,
    );
  });

  it('says that there is nothing where there is nothing', () => {
    show(
      <Heat
        title="Rates"
        columnsFor={() => []}
        rowLabels={['none']}
        xLabel="Step"
        cellText={() => ''}
        note=""
        empty="No step has any."
      />,
    );
    expect(screen.getByText('No step has any.')).toBeTruthy();
  });
});
