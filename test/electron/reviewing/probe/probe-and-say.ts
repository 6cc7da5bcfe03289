/** Probes the embedded supervisor in a lab of its own and says how many answers are stored, until it is killed or done. */
import { openEngine } from '../../../support/engine.ts';
import { SMALL } from './small.ts';

const [folder = ''] = process.argv.slice(2);
const engine = await openEngine(folder);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const put = engine.store.putJudgeProbeAnswer;
engine.store.putJudgeProbeAnswer = (id, answer) => {
  put(id, answer);
  say(`stored ${answer.pass} ${answer.ordinal}`);
};
const job = await engine.probeJudge(SMALL);
const { problem } = await engine.jobs.ended(job.id);
say(problem ?? 'done');
await engine.close();
