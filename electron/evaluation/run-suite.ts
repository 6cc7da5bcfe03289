import { join } from 'node:path';
import { z } from 'zod';
import type { ContextRecord, EvaluationItem } from '../contract/index.ts';
import { hashFile, readJsonLines, type PromptPack } from '../library/index.ts';
import { messagesFor, type ExecuteProgram } from './suites/suite.ts';
import type { AnySuite } from './registry.ts';

export type AskedMessage = { role: 'system' | 'user'; content: string };

/** Answers to keyed conversations at a temperature, in any order of completion. */
export type Answer = (items: { key: string; messages: AskedMessage[] }[], temperature: number) => Promise<Map<string, { text: string; newTokens: number }>>;

export type SuiteResult = { suite: string; suiteSha256: string; n: number; passed: number; items: EvaluationItem[] };

/**
 * Asks the first `limit` items of a suite and grades the answers. The suite's order is fixed, so two policies are compared
 * item by item.
 * @param context the supervision context put into the system message; null evaluates the weights alone.
 */
export async function runSuite(
  suite: AnySuite, folder: string, limit: number, pack: PromptPack, context: ContextRecord | null, answer: Answer, execute: ExecuteProgram,
): Promise<SuiteResult> {
  const file = join(folder, suite.file);
  const items = readJsonLines(file, z.unknown(), limit).map((line) => suite.parse(line));
  const answers = await answer(items.map((item) => ({ key: `${suite.name}/${item.id}`, messages: messagesFor(suite.ask(item, pack), pack, context) })), suite.temperature);
  const graded = await Promise.all(items.map(async (item): Promise<EvaluationItem> => {
    const given = answers.get(`${suite.name}/${item.id}`);
    if (given === undefined) throw new Error(`No answer came back for item ${item.id} of ${suite.name}.`);
    const { passed, reason } = await suite.grade(item, given.text, execute);
    return { itemId: item.id, text: given.text, passed, reason, newTokens: given.newTokens };
  }));
  return { suite: suite.name, suiteSha256: await hashFile(file), n: graded.length, passed: graded.filter((item) => item.passed).length, items: graded };
}
