import { useSyncExternalStore } from 'react';

/** What the sizes of rows are given for: letters of this many CSS pixels, as browsers have them unless a person chose others. */
const USUAL_PX = 16;

let scale = 1;
let measure: HTMLElement | null = null;
const listeners = new Set<() => void>();

/** One element as high as a letter tells when the person chooses another size. */
function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  if (measure === null) {
    measure = document.createElement('div');
    measure.style.cssText = 'position: fixed; top: 0; visibility: hidden; width: 0; height: 1rem';
    document.body.append(measure);
    new ResizeObserver(([entry]) => {
      const { height = 0 } = entry?.contentRect ?? {};
      if (height === 0) return;
      scale = height / USUAL_PX;
      for (const tell of listeners) tell();
    }).observe(measure);
  }
  return () => listeners.delete(onChange);
}

/** How large the letters are that a person chose in the browser; 1.5 = half as large again. What counts in pixels grows with it. */
export const useTextScale = (): number => useSyncExternalStore(listen, () => scale);
