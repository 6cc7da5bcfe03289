import type { AnchorBridge } from '../../../electron/contract/index.ts';

const KEEP_MS = 10_000; // the browser has started to save by then

/** Hands a text to the browser as a file to save; in the desktop window, which downloads nothing, to the system's dialog. */
export function saveText(name: string, type: string, text: string): void {
  const { anchor } = globalThis as { anchor?: AnchorBridge };
  if (anchor !== undefined) return void anchor.saveText({ name, text });
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}

/** A file name from a title: words joined by hyphens. */
export function fileName(title: string, ending: string): string {
  const words = title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${words === '' ? 'figure' : words}.${ending}`;
}
