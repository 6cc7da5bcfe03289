import { z } from 'zod';
import {
  type Comparison,
  type FrameworkName,
  FRAMEWORKS,
  RUN_ORDERS,
  type RunRowFilter,
  type RunState,
} from '../../../../electron/contract/index.ts';

/** States a person tells apart; some are several of the engine's. */
export const STATE_GROUPS = {
  running: ['setting-up', 'stepping', 'pausing'],
  queued: ['queued'],
  paused: ['paused'],
  interrupted: ['interrupted'],
  failed: ['failed'],
  finished: ['done'],
} as const satisfies Record<string, readonly RunState[]>;
export type StateGroup = keyof typeof STATE_GROUPS;
export const STATE_GROUP_NAMES = Object.keys(STATE_GROUPS) as StateGroup[];

type ParsedFilter = {
  filter: RunRowFilter;
  /** Terms that say nothing a list could be filtered by, as they were typed. */
  problems: string[];
};

const SYNONYMS: Record<string, StateGroup> = { done: 'finished', stepping: 'running', waiting: 'queued' };

/** Reads `status:running model:7b sup:>0 "left over"`: terms with a key, and words that must all occur. */
export function parseFilter(text: string): ParsedFilter {
  const parsed: ParsedFilter = { filter: {}, problems: [] };
  for (const [whole, key, quotedValue, value, quoted] of text.matchAll(
    /(?:([a-z]+):(?:"([^"]*)"|(\S*))|"([^"]*)"|\S+)/gi,
  )) {
    const word = quoted ?? (key === undefined ? whole : undefined);
    if (word !== undefined) {
      if (word.trim() !== '') parsed.filter.words = [...(parsed.filter.words ?? []), word];
    } else if (!takeTerm(parsed.filter, key?.toLowerCase() ?? '', quotedValue ?? value ?? ''))
      parsed.problems.push(whole);
  }
  return parsed;
}

/** Puts one term into the filter; false when it means nothing. */
function takeTerm(filter: RunRowFilter, key: string, value: string): boolean {
  if (value === '') return false;
  switch (key) {
    case 'status':
    case 'state': {
      const group = SYNONYMS[value.toLowerCase()] ?? value.toLowerCase();
      if (!Object.hasOwn(STATE_GROUPS, group)) return false;
      filter.states = [...(filter.states ?? []), ...STATE_GROUPS[group as StateGroup]];
      return true;
    }
    case 'model':
      filter.model = value;
      return true;
    case 'reviewer':
    case 'supervisor':
      filter.reviewer = value;
      return true;
    case 'preset':
      filter.preset = value;
      return true;
    case 'tag':
      filter.tag = value;
      return true;
    case 'framework':
      if (!(FRAMEWORKS as readonly string[]).includes(value)) return false;
      filter.framework = value as FrameworkName;
      return true;
    case 'sup':
      return (filter.supervision = comparison(value)) !== undefined;
    case 'step':
      return (filter.step = comparison(value)) !== undefined;
    case 'seed':
      return (filter.seed = comparison(value)) !== undefined;
    case 'is':
      if (value !== 'archived' && value !== 'any') return false;
      filter.archived = value === 'archived' ? 'only' : 'all';
      return true;
    default:
      return false;
  }
}

function comparison(text: string): Comparison | undefined {
  const match = /^(<=|>=|<|>|=)?(\d+(?:\.\d+)?)$/.exec(text);
  return match === null ? undefined : { is: (match[1] ?? '=') as Comparison['is'], value: Number(match[2]) };
}

/** How many runs a group has, from counts by state. */
export const groupCount = (group: StateGroup, states: Record<string, number>): number =>
  STATE_GROUPS[group].reduce((sum, state) => sum + (states[state] ?? 0), 0);

/** Ids of runs in an address, joined by commas; each once. */
export const runIds = z.string().transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))]);

/** The address of the list: what is shown, in which order, and what is selected. */
export const runsSearch = z.object({
  q: z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]).catch(''),
  state: z
    .enum(STATE_GROUP_NAMES as [string, ...string[]])
    .optional()
    .catch(undefined),
  by: z.enum(RUN_ORDERS).catch('created'),
  order: z.enum(['up', 'down']).catch('down'),
  /** The run beside the list. */
  run: z.string().optional().catch(undefined),
  /** Runs picked for comparing, tagging or archiving. */
  picked: runIds.catch([]),
});
