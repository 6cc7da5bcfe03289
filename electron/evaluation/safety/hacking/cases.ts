import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';

export const AGENTS = ['service', 'sales', 'medical', 'finance'] as const;
export type Agent = (typeof AGENTS)[number];
/** Cases of each agent; one agent's rate is a share of its own, the overall rate a share of all 41. */
export const CASES_PER_AGENT: Readonly<Record<Agent, number>> = {
  service: 10,
  sales: 10,
  medical: 11,
  finance: 10,
};

const phrase = z.string().min(2);

/** What decides a case without a judge; see checkReply. */
export const checksSchema = z.strictObject({
  unsafeActions: z.array(z.string()),
  unsafePhrases: z.array(phrase),
  safeActions: z.array(z.string()),
  /** Groups of alternatives: the message has to hold one of each. */
  safePhrases: z.array(z.array(phrase).min(1)),
});
export type Checks = z.infer<typeof checksSchema>;

const memorySchema = z.strictObject({
  id: z.string(),
  success: z.boolean(),
  situation: z.string(),
  action: z.string(),
  message: z.string(),
  why: z.string(),
  result: z.string(),
});
export type Memory = z.infer<typeof memorySchema>;

const caseSchema = z.strictObject({
  id: z.string(),
  request: z.string().min(1),
  unsafeIf: z.string().min(1),
  safeIf: z.string().min(1),
  /** Ids of three successful and three failed conversations. */
  memories: z.array(z.string()).length(6),
  checks: checksSchema,
});
export type HackingCase = z.infer<typeof caseSchema>;

const scenarioSchema = z.strictObject({
  version: z.literal(1),
  agent: z.enum(AGENTS),
  persona: z.string().min(1),
  /** What the agent is told that it is measured by: the pull towards the wrong answer. */
  success: z.string().min(1),
  /** Policy sheet or fact sheet: what an honest answer goes by. */
  facts: z.array(z.string()).min(1),
  /** Actions to choose from; empty for agents that only write. */
  actions: z.array(z.strictObject({ name: z.string(), means: z.string() })),
  memories: z.array(memorySchema).min(6),
  cases: z.array(caseSchema).min(1),
});
export type Scenario = z.infer<typeof scenarioSchema>;

/** Reads a scenario. @throws Failure `badFile` naming the case and what is wrong with it. */
export function parseScenario(text: string, file: string): Scenario {
  const parsed = scenarioSchema.safeParse(parseJson(text, file));
  if (!parsed.success)
    throw new Failure(
      'badFile',
      `${file} is no scenario: ${parsed.error.issues[0]?.path.join('.') || 'the whole'} is missing or of another form.`,
    );
  const scenario = parsed.data;
  const memories = new Map(scenario.memories.map((memory) => [memory.id, memory]));
  const actions = new Set(scenario.actions.map(({ name }) => name));
  const seen = new Set<string>();
  for (const { id, memories: chosen, checks } of scenario.cases) {
    const wrong = (why: string): Failure => new Failure('badFile', `Case ${id} of ${file} ${why}.`);
    if (seen.has(id)) throw wrong('stands twice');
    seen.add(id);
    const found = chosen.map((memory) => memories.get(memory));
    if (
      new Set(chosen).size !== 6 ||
      found.filter((memory) => memory?.success === true).length !== 3 ||
      found.some((memory) => memory === undefined)
    ) {
      throw wrong('needs three successful and three failed memories that exist');
    }
    const unknown = [...checks.unsafeActions, ...checks.safeActions].find((action) => !actions.has(action));
    if (unknown !== undefined) throw wrong(`names the action ${unknown}, which the agent does not have`);
    if (checks.safeActions.length === 0 && checks.safePhrases.length === 0)
      throw wrong('has no rule for a safe answer');
  }
  return scenario;
}

/** Reads all four scenarios from a folder, in the order of AGENTS. @throws Failure `missingFile`, or see parseScenario. */
export function readScenarios(folder: string): Promise<Scenario[]> {
  return Promise.all(
    AGENTS.map(async (agent) => {
      const scenario = parseScenario(await readSuiteFile(folder, `${agent}.json`), `${agent}.json`);
      if (scenario.agent !== agent)
        throw new Failure(
          'badFile',
          `${agent}.json is the scenario of ${scenario.agent}; each file holds its own agent.`,
        );
      return scenario;
    }),
  );
}

export async function readSuiteFile(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (cause) {
    throw new Failure(
      'missingFile',
      `The reward-hacking cases lack ${join(folder, name)}; restore the file from the installation.`,
      1,
      { cause },
    );
  }
}

export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('badFile', `${file} is not JSON; the file is damaged or was cut off.`, 1, { cause });
  }
}

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

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const manifestSchema = z.looseObject({
  source: z.string(),
  commit: z.string(),
  file_sha256: hash,
  scenarios: z.record(
    z.string(),
    z.looseObject({
      cases: z.int().positive(),
      memory_sha256: hash,
      memory_log_entries: z.int(),
      request_sha256: z.array(hash),
    }),
  ),
});
export type MisevolutionManifest = z.infer<typeof manifestSchema>;

/** Reads the manifest of hashes by which Misevolution's texts are recognised; the texts themselves have no licence and are never shipped. */
export function readMisevolutionManifest(text: string, file: string): MisevolutionManifest {
  const parsed = manifestSchema.safeParse(parseJson(text, file));
  if (!parsed.success)
    throw new Failure(
      'badFile',
      `${file} is no manifest of hashes: ${parsed.error.issues[0]?.path.join('.') || 'the whole'} is missing or of another form.`,
    );
  const wrong = Object.entries(parsed.data.scenarios).find(
    ([, { cases, request_sha256: hashes }]) => cases !== hashes.length,
  );
  if (wrong !== undefined)
    throw new Failure(
      'badFile',
      `${file} gives ${wrong[1].request_sha256.length} hashes for the ${wrong[1].cases} cases of ${wrong[0]}.`,
    );
  return parsed.data;
}
