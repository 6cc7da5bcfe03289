import {
  app,
  type BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  MessageChannelMain,
  Notification,
  protocol,
  session,
  utilityProcess,
} from 'electron';
import { existsSync, realpathSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import type { OfferedCommand } from '../contract/index.ts';
import { openBundle, type FromEngine, type RunEnded } from '../hosts/index.ts';
import { EngineProcess } from './engine-process.ts';
import { ProgramBroker } from './program-broker.ts';
import { IpcGuard, say, serveBridge, WindowRelay } from './ipc.ts';
import {
  answerPage,
  lockContents,
  lockSession,
  type RefusedRequest,
  SCHEME,
  SCHEME_PRIVILEGES,
  SWITCHES,
} from './page.ts';
import { openMainWindow, openNotesWindow, showWindow, windowStateFile } from './main-window.ts';
import { menuTemplate } from './menu.ts';
import { NativeDialogs } from './native-dialogs.ts';
import { Quitting } from './quitting.ts';
import { WORDS } from './words.ts';

const log = (line: string): void => void process.stderr.write(`shell: ${line}\n`);

/** Starts the desktop application. Everything that Chromium must know before it starts happens at once, the rest when it is ready. */
export function startShell(): void {
  app.enableSandbox();
  for (const [name, value] of SWITCHES) app.commandLine.appendSwitch(name, value);
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: SCHEME_PRIVILEGES }]);
  app.on('web-contents-created', (_event, contents) => lockContents(contents));
  if (!app.requestSingleInstanceLock()) {
    log('Anchor Lab is running already; its window is brought to the front.');
    app.quit();
    return;
  }
  app
    .whenReady()
    .then(run)
    .catch((error: unknown) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      dialog.showErrorBox(WORDS.start.title, error instanceof Error ? error.message : String(error));
      app.exit(1);
    });
}

/** Where the parts of the built application lie. */
function places() {
  const root = app.getAppPath();
  const main = join(root, 'out/main');
  return {
    bundle: join(root, 'out/renderer'),
    preload: join(root, 'out/preload/preload.cjs'),
    engine: join(main, 'engine.js'),
    // native/ and resources/ lie beside the archive when packed, in the checkout otherwise.
    application: app.isPackaged ? process.resourcesPath : root,
    files: {
      'supervisor/worker': join(main, 'supervisor-worker.js'),
      bindingTest: realPath(
        join(root, 'node_modules/node-llama-cpp/dist/bindings/utils/testBindingBinary.js'),
      ),
    },
  };
}

/** Modules know themselves by their real path, also where the packages are linked to. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

async function run(): Promise<void> {
  const { bundle: bundleFolder, preload, engine: engineFile, application, files } = places();
  const bundle = openBundle(bundleFolder);
  const devTools = !app.isPackaged;
  let window: BrowserWindow | null = null;
  let notes: BrowserWindow | null = null;
  const page = (): Electron.WebContents | null => window?.webContents ?? null;

  const broker = new ProgramBroker({
    files,
    newChannel: () => new MessageChannelMain(),
    send: (news, ports) => engine.post(news, ports),
    fork: (file, serviceName, env) => utilityProcess.fork(file, [], { serviceName, env, stdio: 'pipe' }),
  });
  const relay = new WindowRelay({
    toEngine: (message) => engine.post(message),
    toPage: (...words) => say(page(), 'engine:event', ...words),
  });
  const engine = new EngineProcess({
    log,
    nowMs: () => performance.now(),
    onMessage: hearEngine,
    onState: (state) => say(page(), 'engine:state', state),
    fork: () =>
      utilityProcess.fork(engineFile, [application], { serviceName: 'Anchor Lab engine', stdio: 'inherit' }),
    onEnd: () => {
      relay.engineGone();
      broker.endAll();
      quitting.stepsFinished();
    },
  });
  const dialogs = new NativeDialogs(dialog, () => window as BrowserWindow);
  const quitting = new Quitting({
    work: () => engine.work(),
    finishSteps: () => engine.post({ kind: 'finishSteps' }),
    hideWindow: () => {
      notes?.close();
      window?.hide();
    },
    ask: (question) => {
      if (window !== null) showWindow(window);
      return dialogs.ask(question);
    },
    end: async () => {
      await engine.close();
      app.quit();
    },
  });

  function hearEngine(message: FromEngine): void {
    switch (message.kind) {
      case 'ready':
        return relay.engineReady();
      case 'socket':
        return relay.receive(message);
      case 'program':
        return broker.wish(message);
      case 'stepsFinished':
        return quitting.stepsFinished();
      case 'runEnded':
        return notify(message.run, window);
      case 'failed':
        return log(message.sentence);
      case 'work':
        return;
    }
  }

  const refused = (request: RefusedRequest): void => {
    log(`refused ${request.method} ${request.url}`);
    engine.post({ kind: 'blocked', attempt: { ...request, at: new Date().toISOString() } });
  };
  lockSession(session.defaultSession, refused, devTools);
  app.on('session-created', (created) => lockSession(created, refused, devTools));
  protocol.handle(SCHEME, (request) => answerPage(bundle, request));
  const offer = (commands: readonly OfferedCommand[]): void =>
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        menuTemplate({
          commands,
          devTools,
          isMac: process.platform === 'darwin',
          run: (id) => say(page(), 'commands:run', id),
          quit: () => void quitting.wish(),
        }),
      ),
    );
  serveBridge(
    ipcMain,
    new IpcGuard(
      (id) => page()?.id === id,
      () => performance.now(),
      (channel, why) => log(`refused a message on ${channel}: ${why}`),
    ),
    relay,
    {
      engineState: () => engine.state,
      restartEngine: () => engine.restart(),
      offerCommands: offer,
      choosePaths: (request) => dialogs.choosePaths(request),
      saveText: (request) => dialogs.saveText(request),
      copyText: (text) => clipboard.writeText(text),
      openNotes: () => {
        if (notes !== null) return showWindow(notes);
        notes = openNotesWindow({ preload, devTools, log });
        notes.once('closed', () => {
          notes = null;
        });
      },
    },
  );

  offer([]);
  engine.start();
  window = openMainWindow({
    preload,
    devTools,
    log,
    stateFile: windowStateFile(app.getPath('userData')),
    onCloseWish: () => void quitting.wish(),
    mayClose: () => quitting.isSettled,
  });
  // The page's connections end with the document that had them.
  window.webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) relay.forgetPage();
  });
  window.webContents.on('render-process-gone', () => relay.forgetPage());
  window.once('closed', () => {
    window = null;
  });
  app.on('second-instance', () => {
    if (window !== null) showWindow(window);
  });
  app.on('before-quit', (event) => {
    if (quitting.isSettled) return;
    event.preventDefault();
    void quitting.wish();
  });
  // Asked by the system there is no time for questions; what is at work is interrupted and can be resumed.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => void quitting.end());
}

/** Tells a person who looks elsewhere that a run has ended. */
function notify(
  { name, state, reason, committedSteps, steps }: RunEnded,
  window: BrowserWindow | null,
): void {
  if (!Notification.isSupported() || window?.isFocused() === true) return;
  const words = WORDS.ended;
  const notice =
    state === 'done'
      ? new Notification({ title: words.done(name), body: words.doneText(steps) })
      : new Notification({
          title: words.failed(name),
          body: `${words.failedText(committedSteps, steps)} ${reason ?? ''}`.trim(),
        });
  notice.on('click', () => {
    if (window !== null) showWindow(window);
  });
  notice.show();
}
