import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../core/index.ts';
import { writeWholeFile } from '../../library/index.ts';
import type { Services } from '../services.ts';
import type { AirGapState } from './watch.ts';

export const EVIDENCE_FOLDER = 'evidence';

/** What the evidence cannot show, said in the evidence itself. */
const LIMITS = [
  'Sockets that open and close between two looks are not seen by the watch; the self-test traces every call, for one run.',
  "Only the services and what it started are watched: not a browser that shows the window, not other programs of the machine. What the desktop window asked for is in its guard's list.",
  'A process that the system does not let this user look into is counted as unreadable.',
  'The event chain shows changes only against a point of it that was kept elsewhere; keep this file elsewhere.',
] as const;

export type Evidence = { file: string; sha256: string; text: string };

/**
 * Writes what is known about connections, with the head of the event chain, as one JSON file in the lab's evidence folder, and
 * notes its SHA-256 in the chain. @throws the system's error when it cannot be written.
 */
export function exportEvidence(services: Services, state: AirGapState): Evidence {
  const at = services.clock.now().toISOString();
  const text = `${JSON.stringify(
    {
      what: 'Anchor Lab air-gap evidence',
      format: 1,
      at,
      machine: {
        name: hostname(),
        system: `${process.platform} ${release()} ${process.arch}`,
        node: process.version,
      },
      lab: services.lab.root,
      watchedSince: state.since,
      watch: state.watch,
      outside: state.outside,
      blocked: state.blocked,
      selfTest: state.selfTest,
      chain: state.chain,
      limits: LIMITS,
    },
    null,
    2,
  )}\n`;
  const folder = join(services.lab.root, EVIDENCE_FOLDER);
  const file = join(folder, `air-gap-${at.replaceAll(':', '-')}.json`);
  writeWholeFile(file, text);
  const sha256 = sha256Hex(text);
  services.store.appendEvent(null, 'airgap.evidence', { file, sha256, chain: state.chain });
  return { file, sha256, text };
}
