import { useJudgeProbe } from '../../../data/index.ts';
import { JudgeProbeNote } from '../../../ui/index.ts';

/** How good a chosen model is as a judge, before a run is trusted to it. */
export function JudgeOf({ model, threads }: { model: string; threads: number }) {
  const note = useJudgeProbe(model, threads);
  return note === null ? null : <JudgeProbeNote {...note} showsJob />;
}
