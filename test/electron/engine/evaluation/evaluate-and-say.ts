/** Evaluates in a lab of its own and says how many answers are stored with their verdicts, until it is killed or done. */
import { openEngine } from '../in-engine.ts';
import { ORDERS, type OrderName } from './order.ts';

const [folder = '', name = 'policy'] = process.argv.slice(2);
const engine = await openEngine(folder);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const put = engine.store.putEvaluationItems;
engine.store.putEvaluationItems = (id, items) => {
  put(id, items);
  for (const { ordinal } of items) say(`stored ${id} ${ordinal}`);
};
const job = await engine.evaluations.start(ORDERS[name as OrderName]);
const { problem } = await engine.jobs.ended(job.id);
say(problem ?? 'done');
await engine.close();
