import { MantineProvider } from '@mantine/core';
import { render, type RenderResult } from '@testing-library/react';
import type { ReactElement } from 'react';
import { MessagesProvider } from '../../../renderer/i18n/index.ts';

/** Renders with what every part of the window stands in: theme and words. */
export const show = (element: ReactElement): RenderResult =>
  render(element, {
    wrapper: ({ children }) => (
      <MantineProvider env="test" withGlobalClasses={false} withCssVariables={false}>
        <MessagesProvider>{children}</MessagesProvider>
      </MantineProvider>
    ),
  });
