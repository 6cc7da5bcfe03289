import { useEffect, useEffectEvent, useRef } from 'react';
import type { Phase } from '../../../../electron/contract/index.ts';
import type { Desk, ItemState } from '../model/desk.ts';

/** The part of the address that says what is looked at; a part that is not there is the usual. */
export type DeskAddress = {
  state?: ItemState | undefined;
  phase?: Phase | undefined;
  item?: string | undefined;
};

export const startOf = ({
  state,
  phase,
  item,
}: DeskAddress): Pick<Desk<unknown>, 'tab' | 'phase' | 'current'> => ({
  tab: state ?? 'pending',
  phase: phase ?? null,
  current: item ?? null,
});

const textOf = ({ state, phase, item }: DeskAddress): string =>
  JSON.stringify([state ?? null, phase ?? null, item ?? null]);

/**
 * Keeps what is looked at in the address, and follows the address where somebody else changes it: a link, or going back. The
 * address lags behind while keys are pressed quickly, so what this hook wrote lately is no command of somebody else.
 */
export function useDeskAddress<F>(
  desk: Desk<F>,
  address: DeskAddress,
  look: (change: Partial<Pick<Desk<F>, 'tab' | 'phase' | 'current'>>) => void,
  write: (change: DeskAddress) => void,
): void {
  const written = useRef<string[]>([]);
  const { tab, phase, current } = desk;
  const wanted: DeskAddress = {
    state: tab === 'pending' ? undefined : tab,
    phase: phase ?? undefined,
    item: current ?? undefined,
  };
  const [here, there] = [textOf(wanted), textOf(address)];

  const tellAddress = useEffectEvent((ours: string) => {
    if (ours === there) return;
    written.current.push(ours);
    write(wanted);
  });
  useEffect(() => tellAddress(here), [here]);

  const follow = useEffectEvent((theirs: string) => {
    if (theirs === written.current.at(-1)) written.current = [theirs];
    else if (theirs !== here && !written.current.includes(theirs)) look(startOf(address));
  });
  useEffect(() => follow(there), [there]);
}
