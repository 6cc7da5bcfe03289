// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { FRAMEWORKS, knowsAgreementOnly, type RunFindings } from '../../../../electron/contract/index.ts';
import { Findings } from '../../../../renderer/rooms/live/findings.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const findings: RunFindings = {
  phases: [{ phase: 'output', reviews: 9, verified: 8, failed: 2, told: 9, named: 3, beyond: 1, silent: 0 }],
  issues: [
    { issue: 'wrong_format', phase: 'output', raised: 3, verified: 0, precision: null, told: 3, stated: 2 },
  ],
} as unknown as RunFindings;

describe('what findings are worth', () => {
  it('is by the verifier where there is one, and by agreement where nobody knows what is right', () => {
    show(<Findings findings={findings} byAgreement={false} />);
    expect(screen.getAllByText('Verifier failed')).toHaveLength(2);
    screen.getByText('not verified');
    cleanup();
    show(<Findings findings={findings} byAgreement />);
    expect(screen.queryByText(/verif/i)).toBeNull();
    expect(screen.getAllByText('Disagreed with most')).toHaveLength(2);
    screen.getByText('not counted');
    screen.getByText(/Nobody knows which answer is right/);
  });

  it('is so of the framework that labels its own questions, also with answers that a user rates', () => {
    expect(FRAMEWORKS.filter(knowsAgreementOnly)).toEqual(['rzero']);
  });
});
