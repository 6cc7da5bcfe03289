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
