import type { FunctionComponent } from 'react';
import type { SampleState } from '../model.ts';

/** What a stop shows; it tells when the person has done what the stop asks for. */
export type StopExhibit = FunctionComponent<{
  sample: SampleState;
  onDone: () => void;
  onDelete: () => void;
}>;
