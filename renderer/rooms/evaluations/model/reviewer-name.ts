import { create } from 'zustand';

/** The name under which a person overrides verdicts and agrees to terms; asked once a visit. */
export const useReviewerName = create<{ name: string; setName: (name: string) => void }>((set) => ({
  name: '',
  setName: (name) => set({ name }),
}));
