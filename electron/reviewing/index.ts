export { Audits } from './audits.ts';
export { HumanReviewQueue, openHumanQueue } from './human-queue.ts';
export { makeSupervisor, reviewerTools, type SupervisorServices } from './supervisor.ts';
export { lastJudgeProbe, startJudgeProbe, type ProbeRequest } from './judge-probe.ts';
