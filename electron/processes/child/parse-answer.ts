import type { z } from 'zod';
import { ProcessFailure } from './process-failure.ts';

/** Checks an answer against what its method promises; throws `protocol` naming the process, the method and the field. */
export function parseAnswer<T>(name: string, method: string, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue && issue.path.length > 0 ? ` in the field "${issue.path.join('.')}"` : '';
  throw new ProcessFailure(name, {
    kind: 'protocol',
    message: `The ${name}'s answer to ${method} has an unexpected form${where}: ${issue?.message ?? 'unknown'}. The two do not belong to the same version of Anchor Lab.`,
  });
}
