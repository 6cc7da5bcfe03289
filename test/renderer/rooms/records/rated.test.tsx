// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { OutcomeMark } from '../../../../renderer/rooms/records/record/task-and-verdict.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

it('an answer that a user rated satisfied them or not; nothing of it passed', () => {
  show(
    <>
      <OutcomeMark outcome="passed" batch="pred_request" />
      <OutcomeMark outcome="failed" batch="pred_request" />
      <OutcomeMark outcome="passed" batch="pred_code_o" />
    </>,
  );
  expect(screen.getByText('user satisfied').getAttribute('style')).toBeNull();
  expect(screen.getByText('user not satisfied')).toBeTruthy();
  expect(screen.getAllByText('passed')).toHaveLength(1);
});
