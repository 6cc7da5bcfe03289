import type { WebPreferences } from 'electron';

/**
 * What the page's process may do. Most are Electron's defaults, written out so that a changed default changes nothing here.
 * @param preload path of the built preload script. @param devTools only for those who work on the application.
 */
export const webPreferences = (preload: string, devTools: boolean): WebPreferences => ({
  preload,
  devTools,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  contextIsolation: true,
  sandbox: true,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  safeDialogs: true,
});
