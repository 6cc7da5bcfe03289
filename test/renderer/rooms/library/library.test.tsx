// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  freeName,
  worstFirst,
  type LibraryModel,
  type Inspection,
} from '../../../../renderer/rooms/library/model.ts';
import { FolderView, parametersText } from '../../../../renderer/ui/index.ts';
import { ModelInspector } from '../../../../renderer/rooms/library/inspectors.tsx';
import { JobsPanel } from '../../../../renderer/rooms/library/library-page.tsx';
import {
  InspectionCard,
  type How,
  type ImportWish,
} from '../../../../renderer/rooms/library/inspection-card.tsx';
import { ManifestResult } from '../../../../renderer/rooms/library/transfer-page.tsx';
import { ModelsTable } from '../../../../renderer/rooms/library/tables.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const model = (part: Partial<LibraryModel> = {}): LibraryModel => ({
  name: 'qwen',
  kind: 'policy',
  format: 'safetensors',
  path: '/media/usb/qwen',
  sha256: 'ab'.repeat(32),
  architecture: 'Qwen2ForCausalLM',
  parameters: 7.6e9,
  contextLength: 32768,
  bytes: 15.2e9,
  addedAt: '2026-11-20T10:00:00.000Z',
  embedded: false,
  present: true,
  copied: false,
  probe: null,
  usedBy: [],
  licence: null,
  fit: {
    verdict: 'too-large',
    needBytes: 152e9,
    basis: 'estimated',
    haveBytes: 25e9,
    on: 'memory',
    lora: null,
  },
  ...part,
});

describe('a name for the library', () => {
  it.each([
    ['qwen', [], 'qwen'],
    ['qwen', ['qwen'], 'qwen-2'],
    ['qwen', ['qwen', 'qwen-2'], 'qwen-3'],
    ['a/b:c', [], 'a-b-c'],
    ['.hidden', [], 'hidden'],
    ['embedded-policy', [], 'policy'],
    ['***', [], '---'.replace(/-/g, '') || 'import'],
  ])('from %s beside %j is %s', (wanted, taken, name) => {
    expect(freeName(wanted, taken)).toBe(name);
  });
});

describe('a model', () => {
  it('in the table says in words where it is and whether it fits', () => {
    show(
      <ModelsTable
        models={[model(), model({ name: 'gone', present: false })]}
        selected={null}
        onSelect={() => {}}
      />,
    );
    expect(screen.getAllByText('too large')).toHaveLength(2);
    expect(screen.getByText('policy, trained · linked')).toBeTruthy();
    expect(screen.getByText('policy, trained · files are gone')).toBeTruthy();
    expect(parametersText(7.6e9)).toBe('7.6 B');
  });

  it('that is too large to train whole says whether an adapter of it fits', () => {
    const fit = { ...model().fit, lora: { verdict: 'tight' as const, needBytes: 21e9 } };
    const nothing = { onTestLoad: vi.fn(), onVerify: vi.fn(), onRemove: vi.fn(), onOpenRun: vi.fn() };
    show(
      <>
        <ModelsTable models={[model({ fit })]} selected={null} onSelect={() => {}} />
        <ModelInspector model={model({ fit })} {...nothing} />
      </>,
    );
    expect(screen.getByText('tight with LoRA')).toBeTruthy();
    expect(
      screen.getByText(
        'Training it takes about 152 GB (estimated); this machine has 25.0 GB of memory. An adapter beside its frozen weights (train.lora) takes about 21.0 GB (estimated).',
      ),
    ).toBeTruthy();
  });

  it('says why it fits or not, with what was measured told from what was estimated', () => {
    const actions = { onTestLoad: vi.fn(), onVerify: vi.fn(), onRemove: vi.fn(), onOpenRun: vi.fn() };
    show(<ModelInspector model={model()} {...actions} />);
    expect(
      screen.getByText('Training it takes about 152 GB (estimated); this machine has 25.0 GB of memory.'),
    ).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove…' }));
    expect(screen.getByText(/Only the entry goes; its files stay at \/media\/usb\/qwen/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
    expect(actions.onRemove).toHaveBeenCalledOnce();
  });

  it('that comes with the application cannot be removed, and one whose files are gone cannot be tried', () => {
    show(
      <ModelInspector
        model={model({ embedded: true, present: false })}
        onTestLoad={() => {}}
        onVerify={() => {}}
        onRemove={() => {}}
        onOpenRun={() => {}}
      />,
    );
    expect(screen.queryByRole('button', { name: 'Remove…' })).toBeNull();
    expect((screen.getByRole('button', { name: 'Test load' }) as HTMLButtonElement).disabled).toBe(true);
  });
});

describe('what stands at a path', () => {
  const found: Inspection = {
    path: '/x/m',
    name: 'm',
    bytes: 5e6,
    licence: null,
    kind: 'model',
    use: 'policy',
    architecture: 'Qwen2',
    parameters: 2.5e6,
    contextLength: 1024,
    types: ['F16'],
    hasTemplate: null,
    files: 4,
  };

  it('that is refused shows the reason and no way to import it', () => {
    show(
      <InspectionCard
        inspection={{
          path: '/x',
          name: 'x',
          bytes: 1,
          licence: null,
          kind: 'refused',
          reason: 'x is a pickle file.',
        }}
        proposedName="x"
        how="copy"
        onHow={() => {}}
        policies={[]}
        isStarting={false}
        onStart={() => {}}
      />,
    );
    expect(screen.getByRole('alert').textContent).toContain('x is a pickle file.');
    expect(screen.queryByRole('button', { name: 'Import' })).toBeNull();
  });

  it('that is a model is imported under the name a person gives it', () => {
    const onStart = vi.fn<(wish: ImportWish) => void>();
    show(
      <InspectionCard
        inspection={found}
        proposedName="m"
        how="copy"
        onHow={() => {}}
        policies={[]}
        isStarting={false}
        onStart={onStart}
      />,
    );
    fireEvent.change(screen.getByLabelText('Name in the library'), { target: { value: ' mine ' } });
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(onStart).toHaveBeenCalledWith({ name: 'mine', how: 'copy' });
    expect(screen.queryByText(/make a policy of it/)).toBeNull();
  });

  it('that is a GGUF can become a policy, and says what that is', () => {
    const onHow = vi.fn<(how: string) => void>();
    const card = (how: How) => (
      <InspectionCard
        inspection={{ ...found, use: 'supervisor' }}
        proposedName="m"
        how={how}
        onHow={onHow}
        policies={[]}
        isStarting={false}
        onStart={() => {}}
      />
    );
    const { rerender } = show(card('copy'));
    fireEvent.click(screen.getByLabelText('Make a policy of it, to train it'));
    expect(onHow).toHaveBeenCalledWith('policy');
    rerender(card('policy'));
    expect(screen.getByText(/does not become the published one again/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Make the policy' })).toBeTruthy();
  });

  it('that is a policy is copied, though the file before was to become one', () => {
    const onStart = vi.fn<(wish: ImportWish) => void>();
    show(
      <InspectionCard
        inspection={found}
        proposedName="m"
        how="policy"
        onHow={() => {}}
        policies={[]}
        isStarting={false}
        onStart={onStart}
      />,
    );
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Copy into the lab/ }).checked).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
    expect(onStart).toHaveBeenCalledWith({ name: 'm', how: 'copy' });
  });

  it('that is an adapter waits for its base, and proposes the one that its author names', () => {
    const onStart = vi.fn<(wish: ImportWish) => void>();
    const card = (policies: string[], key: string) => (
      <InspectionCard
        key={key}
        inspection={{
          path: '/a',
          name: 'a',
          bytes: 1e6,
          licence: null,
          kind: 'adapter',
          base: 'Somebody/Coder-0.5B',
          rank: 16,
        }}
        proposedName="a"
        how="link"
        onHow={() => {}}
        policies={policies}
        isStarting={false}
        onStart={onStart}
      />
    );
    const { rerender } = show(card(['another'], 'none'));
    const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Make the policy' });
    expect(screen.getByText('Somebody/Coder-0.5B')).toBeTruthy();
    expect(screen.getByText('16')).toBeTruthy();
    expect(screen.queryByText('How')).toBeNull();
    expect(button().disabled).toBe(true);
    rerender(card(['another', 'coder-0.5b'], 'one'));
    fireEvent.click(button());
    expect(onStart).toHaveBeenCalledWith({ name: 'a', base: 'coder-0.5b' });
  });
});

describe('folders', () => {
  it('are opened, files are taken, and at the top there is no way up', () => {
    const [onFolder, onTake] = [vi.fn(), vi.fn()];
    show(
      <FolderView
        listing={{
          path: '/home/a',
          above: null,
          more: 3,
          entries: [
            { name: 'models', path: '/home/a/models', isFolder: true, bytes: null },
            { name: 'b.gguf', path: '/home/a/b.gguf', isFolder: false, bytes: 4096 },
          ],
        }}
        onFolder={onFolder}
        onTake={onTake}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'models/' }));
    fireEvent.click(screen.getByRole('button', { name: /b\.gguf/ }));
    expect([onFolder.mock.calls, onTake.mock.calls]).toEqual([[['/home/a/models']], [['/home/a/b.gguf']]]);
    expect((screen.getByRole('button', { name: 'One folder up' }) as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText('3 more entries are not shown; type the path.')).toBeTruthy();
  });
});

describe('the report of a manifest', () => {
  const finding = (path: string, state: 'same' | 'different' | 'missing') => ({
    path,
    state,
    sha256: '',
    found: null,
  });

  it('shows what is wrong first, and says how many', () => {
    const findings = [finding('a', 'same'), finding('b', 'missing'), finding('c', 'different')];
    expect(worstFirst(findings).map(({ path }) => path)).toEqual(['b', 'c', 'a']);
    show(<ManifestResult findings={findings} />);
    expect(screen.getByRole('alert').textContent).toBe('2 files are not as the manifest says, of 3.');
  });

  it('without a fault is good news', () => {
    show(<ManifestResult findings={[finding('a', 'same')]} />);
    expect(screen.getByRole('status').textContent).toBe('The one file is as the manifest says.');
  });
});

describe('jobs', () => {
  const job = {
    id: 'job-1',
    kind: 'import',
    title: 'Import x',
    state: 'running' as const,
    done: 5e6,
    total: 20e6,
    unit: 'byte' as const,
    ratePerSecond: 1e6,
    etaSeconds: 15,
    problem: null,
  };

  it('that run tell how far, how fast and how long, and can be stopped', () => {
    const onCancel = vi.fn();
    show(<JobsPanel jobs={[job]} onCancel={onCancel} />);
    expect(screen.getByText('5.0 MB of 20.0 MB · 1.0 MB/s · 15 s left')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledWith('job-1');
  });

  it('that failed say why until they are hidden', () => {
    show(
      <JobsPanel jobs={[{ ...job, state: 'failed', problem: 'Line 3 is not JSON.' }]} onCancel={() => {}} />,
    );
    expect(screen.getByRole('alert').textContent).toBe('Line 3 is not JSON.');
    fireEvent.click(screen.getByRole('button', { name: 'Hide: Import x' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
