// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../../renderer/data/index.ts';
import {
  DatasetDetail,
  PreviewTable,
} from '../../../../renderer/rooms/evaluations/datasets/dataset-detail.tsx';
import {
  DatasetCard,
  FaultList,
  PathInspection,
} from '../../../../renderer/rooms/evaluations/datasets/dataset-import.tsx';
import { PathForm } from '../../../../renderer/rooms/evaluations/datasets/path-form.tsx';
import { CalibrationTable, JudgeTable } from '../../../../renderer/rooms/evaluations/judges/judge-tables.tsx';
import { RubricList } from '../../../../renderer/rooms/evaluations/judges/judges-tab.tsx';
import { show } from '../../ui/show.tsx';
import { calibration, dataset, found } from './made.ts';

afterEach(cleanup);

const isDisabled = (name: string): boolean =>
  (screen.getByRole('button', { name }) as HTMLButtonElement).disabled;
const card = { reviewer: '', onReviewer: () => {}, isBusy: false };

describe('a set that was found', () => {
  it('is shown with its first rows and imported under the name a person gives it', () => {
    const onImport = vi.fn();
    show(<DatasetCard {...card} found={found()} onImport={onImport} />);
    expect(screen.getByText('1 + 1')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Name in the lab'), { target: { value: ' mine ' } });
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(onImport).toHaveBeenCalledWith('mine', null);
  });
  it('under a licence waits for agreement with a name', () => {
    const terms = { kind: 'licence' as const, statement: 'I have permission to use HEx-PHI.' };
    const onImport = vi.fn();
    const { rerender } = show(
      <DatasetCard {...card} found={found({ terms, preview: null })} onImport={onImport} />,
    );
    expect(screen.getByText('Its rows are shown once its terms are agreed to.')).toBeTruthy();
    expect(isDisabled('Import')).toBe(true);
    fireEvent.click(screen.getByLabelText('I have permission to use HEx-PHI.'));
    expect(isDisabled('Import')).toBe(true);
    rerender(
      <DatasetCard {...card} reviewer="Ada" found={found({ terms, preview: null })} onImport={onImport} />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(onImport).toHaveBeenCalledWith('math500', 'Ada');
  });
  it('with a faulty row names the file, the row and the reason, and cannot be imported', () => {
    show(
      <DatasetCard
        {...card}
        found={found({ fault: { file: 'a.csv', row: 17, why: 'The column Behavior is empty.' } })}
        onImport={() => {}}
      />,
    );
    expect(screen.getByRole('alert').textContent).toContain('a.csv, row 17: The column Behavior is empty.');
    expect(screen.queryByRole('button', { name: 'Import' })).toBeNull();
  });
  it('that the lab has already says under which name', () => {
    show(<DatasetCard {...card} found={found({ alreadyAs: 'math500' })} onImport={() => {}} />);
    expect(screen.getByText('The lab has the same content already, as math500.')).toBeTruthy();
  });
});

describe('several sets at one place', () => {
  const names = ['aime24', 'amc23', 'math500'];
  const showAll = (): HTMLElement[] => {
    queryClient.setQueryData(['jobs.list', undefined], []);
    const sets = names.map((name) => found({ key: name, title: name, suggestedName: name }));
    show(
      <QueryClientProvider client={queryClient}>
        <PathInspection
          inspection={{ path: '/drive', sets, ignored: [], refused: null }}
          onClose={() => {}}
          onImported={() => {}}
        />
      </QueryClientProvider>,
    );
    return screen.getAllByRole('button', { name: 'Import' });
  };
  const have = (buttons: HTMLElement[], attribute: string): boolean[] =>
    buttons.map((button) => button.hasAttribute(attribute));

  // No engine answers here, so what was asked for stays under way.
  it('turn the spinner of the one that is imported, and hold the others', async () => {
    const buttons = showAll();
    fireEvent.click(buttons[1] as HTMLElement);
    await waitFor(() => expect(have(buttons, 'data-loading')).toEqual([false, true, false]));
    expect(have(buttons, 'disabled')).toEqual([true, true, true]);
  });

  it('are taken in one after the other where all are, and only the first turns', async () => {
    const buttons = showAll();
    fireEvent.click(screen.getByRole('button', { name: 'Import all 3' }));
    await waitFor(() => expect(have(buttons, 'data-loading')).toEqual([true, false, false]));
    expect(screen.getByText('0 of 3 imported.')).toBeTruthy();
  });
});

describe('first rows', () => {
  it('that can harm are behind a blur until asked for', () => {
    show(
      <PreviewTable
        preview={{ columns: ['Behavior'], rows: [{ id: '0', cells: ['do harm'] }], hazardous: true }}
      />,
    );
    expect(screen.getByText('do harm').closest('[aria-hidden="true"]')).not.toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Show the text' }));
    expect(screen.getByText('do harm').closest('[aria-hidden="true"]')).toBeNull();
  });
});

describe('a refusal', () => {
  it('lists the first faults and how many more there are', () => {
    show(
      <FaultList
        title="Refused"
        refusal={{ faults: [{ file: 'x.jsonl', row: null, why: 'It is not UTF-8.' }], count: 4 }}
      />,
    );
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'x.jsonl: It is not UTF-8.',
      '3 more faults',
    ]);
  });
});

describe('a set of the lab', () => {
  const acts = {
    preview: null,
    onReviewer: () => {},
    isBusy: false,
    onVerify: () => {},
    overlap: null,
    isComparing: false,
    onCompare: () => {},
    onRemove: () => {},
  };
  it('says what it shares with the tasks of runs, in counts and names', () => {
    show(
      <DatasetDetail
        {...acts}
        reviewer=""
        onAcknowledge={() => {}}
        dataset={dataset({})}
        overlap={{
          dataset: 'x',
          runs: 2,
          rows: 164,
          tasks: 900,
          seeds: 640,
          different: 1400,
          n: 13,
          shared: 1,
          sharedTasks: 1,
          sharedSeeds: 0,
          longestWords: 17,
          shortestWords: 8,
          longest: [{ row: 'HumanEval/3', words: 17, runId: 'run-a', taskId: '2/gen_code_o/1' }],
        }}
      />,
    );
    const text = screen.getByRole('region', { name: 'Overlap with tasks of runs' }).textContent;
    expect(text).toContain(
      '1 of 164 rows share 13 words in a row or more with one of 900 tasks and 640 first tasks of 2 runs. The longest overlap has 17 words.',
    );
    expect(text).toContain('HumanEval/3: 17 words, 2/gen_code_o/1 of run-a');
  });
  it('whose terms nobody agreed to offers them', () => {
    const onAcknowledge = vi.fn();
    show(
      <DatasetDetail
        {...acts}
        reviewer="Ada"
        onAcknowledge={onAcknowledge}
        dataset={dataset({
          state: 'unacknowledged',
          terms: { kind: 'sensitivity', statement: 'I know that it is harmful to read.' },
        })}
      />,
    );
    expect(isDisabled('Agree')).toBe(true);
    fireEvent.click(screen.getByLabelText('I know that it is harmful to read.'));
    fireEvent.click(screen.getByRole('button', { name: 'Agree' }));
    expect(onAcknowledge).toHaveBeenCalledOnce();
  });
  it('shows who agreed, and to which words', () => {
    show(
      <DatasetDetail
        {...acts}
        reviewer=""
        onAcknowledge={() => {}}
        dataset={dataset({
          acknowledgement: { by: 'Ada', at: '2026-11-20T10:00:00.000Z', statement: 'I may use it.' },
        })}
      />,
    );
    expect(screen.getByText(/Agreed to by Ada.*I may use it\./)).toBeTruthy();
  });
  it('whose files are gone says what to do', () => {
    show(
      <DatasetDetail
        {...acts}
        reviewer=""
        onAcknowledge={() => {}}
        dataset={dataset({ state: 'missing' })}
      />,
    );
    expect(screen.getByRole('alert').textContent).toContain('import it again');
    expect(isDisabled('Verify')).toBe(true);
  });
});

describe('a path', () => {
  it('is looked at when it is there, and a dropped file in a browser tab says why not', () => {
    const onPath = vi.fn();
    const { container } = show(<PathForm path="" title="Where" text="Which" action="Look" onPath={onPath} />);
    expect(isDisabled('Look')).toBe(true);
    fireEvent.change(screen.getByLabelText('Where'), { target: { value: ' /media/usb/set.zip ' } });
    fireEvent.click(screen.getByRole('button', { name: 'Look' }));
    expect(onPath).toHaveBeenCalledExactlyOnceWith('/media/usb/set.zip');
    fireEvent.drop(container.querySelector('.evaluations-drop') as Element, {
      dataTransfer: { files: [new File([''], 'a.csv')] },
    });
    expect(screen.getByRole('status').textContent).toContain('Type its path');
  });
});

describe('judges', () => {
  it('say how they agree with people, or that nobody knows', () => {
    const onChoose = vi.fn();
    show(
      <JudgeTable
        judges={[
          {
            name: 'judge-7b',
            path: '/m/judge.gguf',
            sha256: null,
            embedded: false,
            calibrations: [calibration()],
          },
          { name: 'embedded', path: '/e', sha256: null, embedded: true, calibrations: [] },
        ]}
        chosen="judge-7b"
        selected={null}
        onSelect={() => {}}
        onChoose={onChoose}
      />,
    );
    expect(screen.getByText('85.0 % (77.0 % to 91.0 %), n = 100')).toBeTruthy();
    expect(screen.getByText('never compared with people')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Use none' }));
    fireEvent.click(screen.getByRole('button', { name: 'Use as judge' }));
    expect(onChoose.mock.calls).toEqual([[null], ['embedded']]);
  });
  it('are calibrated with kappa, both rates and what stayed unjudged', () => {
    show(<CalibrationTable calibrations={[calibration(), calibration({ id: 'c2', kappa: null })]} />);
    expect(screen.getByText('0.69 (0.55 to 0.82)')).toBeTruthy();
    expect(screen.getByText('not defined')).toBeTruthy();
    expect(screen.getAllByText('45.0 %')).toHaveLength(2);
    expect(screen.getAllByText('74 of 80 where people were unanimous')).toHaveLength(2);
  });
  it('are asked with rubrics whose version does not repeat the name', () => {
    show(
      <RubricList
        rubrics={[{ name: 'harm', version: 'harm-de2278ec', system: 'Judge.', question: 'Is it harmful?' }]}
      />,
    );
    expect(screen.getByText('version de2278ec').parentElement?.textContent).toBe('harm version de2278ec');
  });
});
