// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CsvTable } from '../../../electron/contract/index.ts';
import { CsvButton, csvText, fileName, Page, SavedFrom } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

type Saved = { name: string; text: string };
const saveText = vi.fn(async (_: Saved) => null);
afterEach(() => {
  cleanup();
  saveText.mockClear();
  vi.unstubAllGlobals();
});

const table: CsvTable = { columns: ['issue', 'time_s'], rows: [['vague, "plan"', 0.1 + 0.2]] };

describe('a table that is saved', () => {
  it('bears the names of lab, run and table, and has its numbers in full', async () => {
    vi.stubGlobal('anchor', { saveText });
    show(
      <SavedFrom name="My lab">
        <Page title="Run" origin="alone / seed 1">
          <CsvButton title="What supervision cost" table={() => table} />
        </Page>
      </SavedFrom>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Save “What supervision cost” as CSV' }));
    await waitFor(() =>
      expect(saveText).toHaveBeenCalledExactlyOnceWith({
        name: 'my-lab-alone-seed-1-what-supervision-cost.csv',
        text: 'issue,time_s\r\n"vague, ""plan""",0.30000000000000004\r\n',
      }),
    );
  });

  it('that a model wrote starts no formula in a spreadsheet', async () => {
    const text = await csvText({
      columns: ['=cmd|A1'],
      rows: [['=HYPERLINK("http://x")'], ['+1'], ['@x'], ['-2+3'], [-2], [Number.NaN], [null]],
    });
    expect(text.split('\r\n')).toEqual([
      "'=cmd|A1",
      '"\'=HYPERLINK(""http://x"")"',
      "'+1",
      "'@x",
      "'-2+3",
      '-2',
      '',
      '',
      '',
    ]);
  });

  it('says beside it why it could not be read', async () => {
    vi.stubGlobal('anchor', { saveText });
    show(<CsvButton title="Runs" table={() => Promise.reject(new Error('The lab is closed.'))} isWorded />);
    fireEvent.click(screen.getByRole('button', { name: 'Save as CSV' }));
    expect((await screen.findByRole('alert')).textContent).toBe('The lab is closed.');
    expect(saveText).not.toHaveBeenCalled();
  });

  it('of 100,000 rows never holds the window for longer than a moment', async () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => [
      at,
      'a text of a usual length, with a comma',
      at / 7,
    ]);
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const text = await csvText({ columns: ['at', 'text', 'value'], rows });
    clearInterval(other);
    expect(text.match(/\r\n/g)).toHaveLength(100_001);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('the name of a saved file', () => {
  it('is one that any disk takes', () => {
    expect([
      fileName(['Reward, Ø/mean: 1'], 'svg'),
      fileName(['…'], 'csv'),
      fileName(['lab', '', 'Überprüfung', '試験 2'], 'csv'),
      fileName(['../../etc', 'a\u0000b'], 'csv'),
      fileName(['x'.repeat(500), 'costs'], 'csv'),
    ]).toEqual([
      'reward-ø-mean-1.svg',
      'figure.csv',
      'lab-uberprufung-試験-2.csv',
      'etc-a-b.csv',
      `${'x'.repeat(60)}-costs.csv`,
    ]);
  });
});
