// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type Job } from '../../../electron/contract/index.ts';
import { formatChoices, isWholePath, newFolderIn } from '../../../renderer/ui/run-export-form.ts';
import { readableFailure } from '../../../renderer/data/index.ts';
import { ExportForm } from '../../../renderer/ui/run-export.tsx';
import { show } from './show.tsx';

afterEach(cleanup);

const whole = { id: 'run-1', config: runConfigSchema.parse({ name: 'whole' }), committedSteps: 8 };
const adapter = {
  ...whole,
  config: runConfigSchema.parse({ name: 'adapter', train: { lora: {} } }),
};
const job: Job = {
  id: 'job-3',
  kind: 'export:run-1',
  title: 'Export whole',
  state: 'running',
  done: 4,
  total: 10,
  unit: 'part',
  ratePerSecond: 2,
  etaSeconds: 3,
  problem: null,
};

function form(part: Partial<ComponentProps<typeof ExportForm>> = {}) {
  const acts = { onStart: vi.fn(), onCancel: vi.fn() };
  show(
    <ExportForm
      run={whole}
      hasCheckpoint
      job={null}
      exported={null}
      reads={[]}
      problemOf={readableFailure}
      isAsked={false}
      refusal={null}
      folders={null}
      onChoose={null}
      {...acts}
      {...part}
    />,
  );
  return acts;
}
const field = (): HTMLElement => screen.getByLabelText('New folder');
const write = (path: string): void => void fireEvent.change(field(), { target: { value: path } });
const start = (): HTMLButtonElement => screen.getByRole('button', { name: 'Export' });
const box = (name: RegExp): HTMLInputElement => screen.getByRole('checkbox', { name });

describe('what a run can be written as', () => {
  const obstacles = (...of: Parameters<typeof formatChoices>) =>
    Object.fromEntries(formatChoices(...of).map(({ format, obstacle }) => [format, obstacle]));

  it('is every form where it trains an adapter, and no adapter where it trains all', () => {
    expect(obstacles(adapter, true)).toEqual({ safetensors: null, gguf: null, peft: null });
    expect(obstacles(whole, true)).toEqual({
      safetensors: null,
      gguf: null,
      peft: 'runExport.peft.whole',
    });
  });

  it('is no adapter before the first step, and no weights without a checkpoint', () => {
    expect(obstacles({ ...adapter, committedSteps: 0 }, true)).toMatchObject({
      safetensors: null,
      peft: 'runExport.peft.early',
    });
    expect(obstacles(adapter, false)).toEqual({
      safetensors: 'runExport.noCheckpoint',
      gguf: 'runExport.noCheckpoint',
      peft: 'runExport.noCheckpoint',
    });
  });
});

describe('the place of an export', () => {
  it.each([
    ['/home/me/out', true],
    ['D:\\out', true],
    ['D:/out', true],
    ['\\\\server\\share', true],
    ['out', false],
    ['./out', false],
    ['~/out', false],
    ['D:out', false],
  ])('%s is a whole path: %s', (path, isWhole) => expect(isWholePath(path)).toBe(isWhole));

  it.each([
    ['/home/me', '/home/me/run-1'],
    ['/', '/run-1'],
    ['/odd\\name', '/odd\\name/run-1'],
    ['D:\\', 'D:\\run-1'],
    ['D:\\out', 'D:\\out\\run-1'],
  ])('in %s is %s', (folder, made) => expect(newFolderIn(folder, 'run-1')).toBe(made));
});

describe('the form of an export', () => {
  it('begins with what the terminal writes, asks for a whole path, and starts with what was chosen', () => {
    const { onStart } = form({ run: adapter });
    expect([/safetensors/, /GGUF/, /PEFT/].map((name) => box(name).checked)).toEqual([true, true, false]);
    expect(start().disabled).toBe(true);
    write('out');
    expect([start().disabled, screen.queryByText(/Write the whole path/) !== null]).toEqual([true, true]);
    write(' /home/me/out ');
    fireEvent.click(box(/GGUF/));
    fireEvent.click(box(/PEFT/));
    fireEvent.click(start());
    expect(onStart.mock.calls).toEqual([['/home/me/out', ['safetensors', 'peft']]]);
  });

  it('offers no form that cannot be, says why, and does not ask for it', () => {
    const { onStart } = form({ hasCheckpoint: false });
    expect(box(/safetensors/).disabled && !box(/safetensors/).checked).toBe(true);
    expect(screen.getAllByText(/Its checkpoint is not there/)).toHaveLength(2);
    expect(screen.getByText(/trains every parameter/)).toBeTruthy();
    write('/out');
    fireEvent.click(start());
    expect(onStart.mock.calls).toEqual([['/out', []]]);
  });

  it('takes the folder of the system’s dialog as the place of a new one', async () => {
    form({ onChoose: () => Promise.resolve('/media/drive') });
    fireEvent.click(screen.getByRole('button', { name: 'Choose a folder…' }));
    await vi.waitFor(() => expect(field()).toHaveProperty('value', '/media/drive/run-1'));
  });

  it('shows folders alone where they are looked through, and takes the one that is shown', () => {
    const onFolder = vi.fn();
    form({
      folders: {
        places: [{ path: '/home/me', kind: 'home' }],
        folder: '/home/me',
        listing: {
          data: {
            path: '/home/me',
            above: null,
            more: 0,
            entries: [
              { name: 'kept', path: '/home/me/kept', isFolder: true, bytes: null },
              { name: 'notes.txt', path: '/home/me/notes.txt', isFolder: false, bytes: 12 },
            ],
          },
          error: null,
          isPending: false,
          refetch: () => {},
        },
        problemOf: () => ({ sentence: '', details: '' }),
        onFolder,
      },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Browse…' }));
    expect(screen.queryByText('notes.txt')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'kept/' }));
    expect(onFolder.mock.calls).toEqual([['/home/me/kept']]);
    fireEvent.click(screen.getByRole('button', { name: 'Take this folder' }));
    expect(field()).toHaveProperty('value', '/home/me/run-1');
    expect(screen.queryByRole('button', { name: 'Take this folder' })).toBeNull();
  });

  it('tells how far it is with its rate and the time left, starts no second one, and can be stopped', () => {
    const { onCancel } = form({ job });
    expect(screen.getByText('4 of 10 parts · 2/s · 3.0 s left')).toBeTruthy();
    write('/out');
    expect([start().disabled, box(/GGUF/).disabled]).toEqual([true, true]);
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel.mock.calls).toEqual([['job-3']]);
  });

  it('tells a refusal, and not what became of the export before it', () => {
    const exported = { folder: '/out', steps: 8, files: ['anchor/', 'policy/'] };
    form({ job: { ...job, state: 'done' }, exported, refusal: 'The folder /out exists already.' });
    expect(screen.getByRole('alert').textContent).toBe('The folder /out exists already.');
    expect(screen.queryByText(/8 steps written/)).toBeNull();
  });

  it('tells what the disk said once it was begun', () => {
    form({ job: { ...job, state: 'failed', problem: 'It could not be written: the disk is full.' } });
    expect(screen.getByRole('alert').textContent).toBe('It could not be written: the disk is full.');
  });

  it('says where it lies when it is done, and what is in it', () => {
    const exported = { folder: '/out', steps: 8, files: ['anchor/', 'policy/'] };
    form({ job: { ...job, state: 'done' }, exported });
    expect(screen.getByRole('status').textContent).toContain('8 steps written to /out');
    expect(screen.getByText('In it: anchor/, policy/')).toBeTruthy();
  });
});
