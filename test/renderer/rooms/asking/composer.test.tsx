// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Composer } from '../../../../renderer/rooms/asking/composer.tsx';
import { FIRST_SETTINGS } from '../../../../renderer/rooms/asking/model.ts';
import { show } from '../../ui/show.tsx';

// A field that grows with its text asks for the fonts, which this document does not have.
beforeAll(() => void Object.defineProperty(document, 'fonts', { value: new EventTarget() }));
afterEach(cleanup);

function compose() {
  const acts = { onAsk: vi.fn(), onSettings: vi.fn() };
  function Kept() {
    const [settings, setSettings] = useState(FIRST_SETTINGS);
    return (
      <Composer
        question="Can you open the cabinet?"
        settings={settings}
        goesOn={false}
        isOpen={false}
        obstacle={null}
        problem={null}
        onQuestion={() => {}}
        onSettings={(next) => {
          acts.onSettings(next);
          setSettings(next);
        }}
        onAsk={acts.onAsk}
        onCancel={() => {}}
        onNew={null}
      />
    );
  }
  show(<Kept />);
  return acts;
}
const field = (): HTMLInputElement => screen.getByLabelText('Temperature');
const write = (value: string): void => void fireEvent.change(field(), { target: { value } });
const ask = (): HTMLButtonElement => screen.getByRole('button', { name: 'Ask' });

describe('a number that the answers are sampled with', () => {
  it.each(['', '5.5'])(
    'is told beside its field where it is "%s", and nothing is asked with the one before',
    (value) => {
      const { onAsk, onSettings } = compose();
      write(value);
      expect(field().value).toBe(value);
      expect(field().getAttribute('aria-invalid')).toBe('true');
      expect(screen.getByText('0 to 5')).toBeTruthy();
      expect(ask().disabled).toBe(true);
      fireEvent.keyDown(screen.getByLabelText('Question'), { key: 'Enter' });
      expect([onAsk, onSettings].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    },
  );

  it('counts as soon as it is in its range again', () => {
    const { onAsk, onSettings } = compose();
    write('');
    write('0.7');
    expect(onSettings).toHaveBeenLastCalledWith({ ...FIRST_SETTINGS, temperature: 0.7 });
    expect(screen.queryByText('0 to 5')).toBeNull();
    fireEvent.click(ask());
    expect(onAsk).toHaveBeenCalledOnce();
  });
});
