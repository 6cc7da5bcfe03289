import { create } from 'zustand';

/** The name under which a person overrides verdicts and agrees to terms; asked once a visit. */
export const useWho = create<{ who: string; setWho: (who: string) => void }>((set) => ({
  who: '',
  setWho: (who) => set({ who }),
}));
