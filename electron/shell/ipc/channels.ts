import { z } from 'zod';
import { offeredCommandSchema, pathRequestSchema, saveRequestSchema } from '../../contract/index.ts';

const connection = z.int().positive();
/** One frame of the window's connection; a page of 500 records is well under it. */
const FRAME_CHARS = 1024 * 1024;

/** Everything a page may say, with the form it must have. There is no other channel. */
export const PAGE_CHANNELS = {
  'engine:open': z.tuple([connection]),
  'engine:send': z.tuple([connection, z.string().max(FRAME_CHARS)]),
  'engine:close': z.tuple([connection]),
  'engine:state': z.tuple([]),
  'engine:restart': z.tuple([]),
  'commands:offer': z.tuple([z.array(offeredCommandSchema).max(300)]),
  'paths:choose': z.tuple([pathRequestSchema]),
  'text:save': z.tuple([saveRequestSchema]),
  'text:copy': z.tuple([z.string().max(FRAME_CHARS)]),
} as const;
export type PageChannel = keyof typeof PAGE_CHANNELS;
export type PageWords<C extends PageChannel> = z.output<(typeof PAGE_CHANNELS)[C]>;

/** How often each may be used: `burst` at once, `perSecond` in the long run. A dialog needs a person. */
export const PAGE_RATES: Readonly<Record<PageChannel, { burst: number; perSecond: number }>> = {
  'engine:open': { burst: 20, perSecond: 2 },
  'engine:send': { burst: 600, perSecond: 200 },
  'engine:close': { burst: 20, perSecond: 2 },
  'engine:state': { burst: 20, perSecond: 2 },
  'engine:restart': { burst: 5, perSecond: 0.2 },
  'commands:offer': { burst: 60, perSecond: 10 },
  'paths:choose': { burst: 5, perSecond: 1 },
  'text:save': { burst: 5, perSecond: 1 },
  'text:copy': { burst: 20, perSecond: 5 },
};

/** What the shell says to the page. */
export type ShellChannel = 'engine:event' | 'engine:state' | 'commands:run';
