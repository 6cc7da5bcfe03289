import { useEffect, useEffectEvent } from 'react';

/** Takes the first file that is dropped anywhere on the window while the component is there; the browser itself would leave the page for it. */
export function useFileDrop(onFile: (file: File) => void): void {
  const take = useEffectEvent(onFile);
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) take(file);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, []);
}
