import { useJudgeProbe } from '../../../data/index.ts';
import { JudgeProbeNote } from '../../../ui/index.ts';

type JudgeOfProps = {
  model: string;
  threads: number;
  /** It only words lines in this run, so whether it finds anything is told where it is known and not asked for where it is not. */
  onlyWords?: boolean;
};

/** How good a chosen model is as a judge, before a run is trusted to it. */
export function JudgeOf({ model, threads, onlyWords = false }: JudgeOfProps) {
  const note = useJudgeProbe(model, threads);
  if (note === null || (onlyWords && note.probe === null)) return null;
  return <JudgeProbeNote {...note} showsJob />;
}
