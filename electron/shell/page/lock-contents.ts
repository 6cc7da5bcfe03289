import type { WebContents } from 'electron';
import { isOwnAddress } from './address.ts';

/** Keeps whatever shows a page on our page: no other address, no second window, no embedded one. */
export function lockContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event) => {
    if (!isOwnAddress(event.url)) event.preventDefault();
  });
  // The page has no frames of its own, so a frame has nowhere to go.
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isOwnAddress(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}
