// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { LabBanners } from '../../../renderer/app/damage-banners.tsx';
import { show } from '../ui/show.tsx';

afterEach(cleanup);

describe('the banners above the room', () => {
  const textOf = (damage: string | null, notices: string[]): string[] =>
    [...show(<LabBanners damage={damage} notices={notices} />).container.querySelectorAll('[role]')].map(
      ({ textContent }) => textContent,
    );

  it('say what is damaged, then what of the folders of runs does not go with the database', () => {
    expect(textOf('The pages are damaged.', ['Steps are lost.', 'A folder is strange.'])).toEqual([
      'The pages are damaged.',
      'Steps are lost.',
      'A folder is strange.',
    ]);
  });

  it('are none of a sound lab', () => expect(textOf(null, [])).toEqual([]));
});
