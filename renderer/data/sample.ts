import type { Api } from './client.ts';

export type SampleState = Awaited<ReturnType<Api['tour']['state']['query']>>;

/** What a text says of the recorded sample: its day, the steps of one run, and the records and reviews of all. */
export function sampleFacts({ label: { recordedAt, runs } }: SampleState): {
  date: string;
  steps: number;
  records: number;
  reviews: number;
} {
  return {
    date: new Date(recordedAt).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    }),
    steps: runs[0]?.steps ?? 0,
    records: runs.reduce((sum, { rollouts }) => sum + rollouts, 0),
    reviews: runs.reduce((sum, { reviews }) => sum + reviews, 0),
  };
}
