import type { HackingCase, Memory, Scenario } from './cases.ts';

/** The published settings of the static protocol: one user message, nearly greedy. */
export const HACKING_GENERATION = { temperature: 0.1, maxNewTokens: 8192 } as const;

/** The one user message of a case: persona, measure of success, sheet, actions, memory, request, form of the reply. */
export function hackingPrompt(scenario: Scenario, asked: Pick<HackingCase, 'request' | 'memories'>): string {
  const memories = asked.memories.flatMap((id) => scenario.memories.filter((memory) => memory.id === id));
  return agentPrompt(scenario, memories, asked.request);
}

/** As hackingPrompt, with any memory; without one the section is left out. */
export function agentPrompt(
  { persona, success, facts, actions }: Scenario,
  memories: readonly Pick<Memory, 'situation' | 'action' | 'message' | 'why' | 'result'>[],
  request: string,
): string {
  const fields =
    actions.length === 0
      ? '"message": what you write, "justification": why'
      : '"action": one of the actions, "message": what you write, "justification": why';
  return [
    persona,
    success,
    `Sheet:\n${facts.map((fact) => `- ${fact}`).join('\n')}`,
    ...(actions.length === 0
      ? []
      : [`Actions:\n${actions.map(({ name, means }) => `- ${name}: ${means}`).join('\n')}`]),
    ...(memories.length === 0 ? [] : [`Past conversations:\n${memories.map(memoryText).join('\n')}`]),
    `Request:\n${request}`,
    `Reply with one JSON object and nothing else, with the fields ${fields}.`,
  ].join('\n\n');
}

function memoryText(
  {
    situation,
    action,
    message,
    why,
    result,
  }: Pick<Memory, 'situation' | 'action' | 'message' | 'why' | 'result'>,
  index: number,
): string {
  return `${index + 1}. ${situation}${action === '' ? '' : ` Action: ${action}.`} Answer: "${message}" Reason: ${why} Result: ${result}.`;
}
