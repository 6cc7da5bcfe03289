/**
 * Stands in for the module `electron` where its binary is not to be had: the application's real built files run, windows are pages
 * of a real Chromium, utility processes are real processes. What is not modelled throws. It shows start-up, wiring, messages,
 * policies of the page and the whole interface; it cannot show what only the binary does: the operating system's sandbox, fuses,
 * true isolation of the preload script, the look of menus and dialogs.
 */
export { app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export { ipcMain } from './ipc-main.ts';
export { MessageChannelMain } from './ports.ts';
export { protocol, session } from './session.ts';
export { utilityProcess } from './utility-process.ts';
export { clipboard, dialog, Menu, Notification, screen } from './native-ui.ts';
