// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '../../../../renderer/data/index.ts';
import { JudgePanel } from '../../../../renderer/rooms/reviews/audits/judge-panel.tsx';
import { show } from '../../ui/show.tsx';

const judge = vi.hoisted(() => vi.fn(async () => null));
vi.mock('../../../../renderer/data/client.ts', () => {
  const size = { parameters: 1_500_000, contextLength: 2048, bytes: 3_000_000 };
  const models = [
    { name: 'judge-1', format: 'gguf', ...size },
    { name: 'policy-1', format: 'safetensors', ...size },
  ];
  return {
    api: {
      library: { models: { query: async () => models } },
      reviews: { audits: { judge: { mutate: judge } } },
      jobs: { cancel: {} },
    },
    onConnection: () => () => {},
  };
});
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  useNavigate: () => () => {},
}));
afterEach(cleanup);

describe('the judge of an audit', () => {
  it('is chosen from the GGUF models of the library, with its size, and asked by its name', async () => {
    show(
      <QueryClientProvider client={queryClient}>
        <JudgePanel audit={{ head: { id: 'audit-1', judge: null }, labels: [] } as never} />
      </QueryClientProvider>,
    );
    const list = screen.getByLabelText<HTMLSelectElement>('Model');
    const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Have it judge' });
    await screen.findByRole('option', { name: 'judge-1' });
    expect([...list.options].map(({ value }) => value)).toEqual(['', 'judge-1']);
    expect(start.disabled).toBe(true);
    fireEvent.change(list, { target: { value: 'judge-1' } });
    expect(screen.getByText(/1\.5 M parameters, window of 2,048 tokens/)).toBeTruthy();
    fireEvent.click(start);
    await vi.waitFor(() =>
      expect(judge).toHaveBeenCalledWith({ auditId: 'audit-1', model: 'judge-1', threads: 1 }),
    );
  });
});
