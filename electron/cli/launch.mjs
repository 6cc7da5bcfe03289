// Sets the checkout up and starts a command on a recent enough Node. Runs on Node 20 with nothing installed, so it imports only built-ins.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import module, { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isWindows = process.platform === 'win32';
const NODE_FLOOR = [22, 18]; // better-sqlite3 13 needs Node-API 10, type stripping is on by default from 22.18

/** Loaded only where a program is started, which a checkout that is set up does not need. */
const childProcess = () => createRequire(import.meta.url)('node:child_process');

/** Set-up that is under way; what one part of it fails at ends the others. */
const installing = new Set();

/** Prints what is about to happen and runs it; a failure ends the program with one sentence that says what to do. */
async function run(what, command, args, advice) {
  process.stderr.write(`set-up: ${what}\n`);
  const child = childProcess().spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: isWindows,
  });
  installing.add(child);
  const trouble = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? null : `exit code ${code ?? signal}`));
  });
  installing.delete(child);
  if (trouble !== null) fail(`${what} failed (${trouble}). ${advice}`);
}

function fail(sentence) {
  for (const child of installing) child.kill('SIGTERM');
  process.stderr.write(`anchor: ${sentence}\n`);
  process.exit(1);
}

const STAMP = '.anchor-setup';

/** True when `folder` was prepared from exactly this input before; a changed pin or a half-finished set-up gives false. */
function isFresh(folder, fingerprint, stamp = STAMP) {
  const path = join(root, folder, stamp);
  return existsSync(path) && readFileSync(path, 'utf8') === fingerprint;
}

function markFresh(folder, fingerprint, stamp = STAMP) {
  writeFileSync(join(root, folder, stamp), fingerprint);
}

const fingerprintOf = (file) =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .update(process.platform + process.arch)
    .digest('hex');

async function setUpNodePackages() {
  const fingerprint = fingerprintOf('package-lock.json');
  if (isFresh('node_modules', fingerprint)) return;
  await run(
    'installing the Node packages of package-lock.json',
    'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    'Check the connection to the npm registry, then run the command again.',
  );
  markFresh('node_modules', fingerprint);
}

function findPython() {
  for (const name of ['python3.13', 'python3.12', 'python3.11', 'python3', 'python']) {
    const probe = childProcess().spawnSync(name, ['-c', 'import sys; print(sys.version_info >= (3, 11))'], {
      encoding: 'utf8',
      shell: isWindows,
    });
    if (probe.status === 0 && probe.stdout.trim() === 'True') return name;
  }
  return fail(
    'Python 3.11 or newer was not found; install it (Debian: apt-get install python3 python3-venv) and run the command again.',
  );
}

const VENV_PYTHON = join(root, '.venv', isWindows ? 'Scripts/python.exe' : 'bin/python');

/** Without compiling: of 10,000 modules few are ever imported, and Python keeps what it compiled at the first import. */
const PIP_INSTALL =
  '-m pip install --no-compile --no-deps --quiet --disable-pip-version-check --no-input'.split(' ');

async function installPins(file, note) {
  await run(
    `installing the Python packages of ${file}${note}`,
    VENV_PYTHON,
    [...PIP_INSTALL, '-r', file],
    'Check the connection to the Python package index and the free disk space, then run the command again.',
  );
}

async function setUpPython() {
  const fingerprint = fingerprintOf('native/requirements.txt');
  // A link into a Python that was removed since does not exist for existsSync.
  if (isFresh('.venv', fingerprint) && existsSync(VENV_PYTHON)) return;
  const python = findPython();
  rmSync(join(root, '.venv'), { recursive: true, force: true });
  await run(
    'creating the Python environment .venv',
    python,
    ['-m', 'venv', '.venv'],
    'On Debian install python3-venv (apt-get install python3-venv).',
  );
  await installPins('native/requirements.txt', ' (PyTorch is large)');
  await run(
    'compiling numpy for the sandbox, which cannot write there',
    VENV_PYTHON,
    ['-c', 'import compileall, os, numpy; compileall.compile_dir(os.path.dirname(numpy.__file__), quiet=1)'],
    'Check the free disk space, then run the command again.',
  );
  mkdirSync(join(root, '.venv'), { recursive: true });
  markFresh('.venv', fingerprint);
}

/** What only tests need of everybody: pytest, ruff and mypy, and the four-bit kernels that are installed by who wants them. */
const TEST_PINS = ['native/requirements-dev.txt', 'native/requirements-nf4.txt'];

/** They have a stamp of their own, which goes with .venv when that is made again. */
async function setUpPythonTests() {
  const stamp = '.anchor-setup-dev';
  const fingerprint = TEST_PINS.map(fingerprintOf).join(' ');
  if (isFresh('.venv', fingerprint, stamp)) return;
  for (const pins of TEST_PINS) await installPins(pins, '');
  markFresh('.venv', fingerprint, stamp);
}

/** Debian packages by the program they bring; needed for isolation level L3. */
const DEBIAN_PACKAGES = { bwrap: 'bubblewrap' };
/** Needed by tests only: the proof that no process calls out, the simulated power cuts and full disks, and a browser for the window. */
const DEBIAN_TEST_PACKAGES = {
  strace: 'strace',
  gcc: 'gcc',
  'chromium-headless-shell': 'chromium-headless-shell',
};
/** A program that does as well, where it is there already. */
const INSTEAD = { 'chromium-headless-shell': 'chromium' };

/** Whether the shell would find this program. */
function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

async function setUpSystemPackages(isTest) {
  if (process.platform !== 'linux') return;
  const missing = Object.entries(isTest ? { ...DEBIAN_PACKAGES, ...DEBIAN_TEST_PACKAGES } : DEBIAN_PACKAGES)
    .filter(([program]) => !isOnPath(program) && !(program in INSTEAD && isOnPath(INSTEAD[program])))
    .map(([, name]) => name);
  if (missing.length === 0) return;
  const command = `apt-get install -y ${missing.join(' ')}`;
  const hasApt = isOnPath('apt-get');
  if (process.getuid?.() === 0 && hasApt) {
    await run(
      'refreshing the Debian package lists',
      'apt-get',
      ['-o', 'DPkg::Lock::Timeout=300', '-qq', 'update'],
      'Check the connection to the Debian mirror.',
    );
    await run(
      `installing ${missing.join(', ')}`,
      'apt-get',
      ['-o', 'DPkg::Lock::Timeout=300', '-qq', '-y', 'install', ...missing],
      `Run: ${command}`,
    );
  } else if (isTest) {
    fail(`${missing.join(', ')} is missing; run: sudo ${command}`);
  } else {
    process.stderr.write(
      `set-up: ${missing.join(', ')} is missing, so model-written programs run at isolation level L2; for L3 run: sudo ${command}\n`,
    );
  }
}

/** The Node that runs TypeScript: the pinned one from the packages where there is one, else the one running now. */
function findNode() {
  const pinned = join(root, 'node_modules/.bin/node');
  if (!isWindows && existsSync(pinned)) return pinned;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])) return process.execPath;
  return fail(
    `Node ${NODE_FLOOR.join('.')} or newer is needed on this platform (found ${process.versions.node}); install it and run the command again.`,
  );
}

/** Programs of this checkout that are no commands of the product. */
const PROGRAMS = {
  test: 'test/run.ts',
  torture: 'test/torture/run.ts',
  sim: 'test/sim/run.ts',
  mutants: 'test/mutants/run.ts',
  study: 'test/study/run.ts',
  'study-real': 'test/study/real/run.ts',
  'gpu-check': 'test/peers/gpu_check/check.py',
  'gpu-peers': 'test/peers/gpu_peers/compare.py',
  build: 'electron/cli/build.ts',
  shots: 'test/e2e/window/shots.ts',
};
/** Parts of out/ that a command needs; they are built when their sources changed. */
const NEEDED_PARTS = { start: [], serve: ['renderer'] };

/** Modules stripped of their types and compiled once: a start then takes two thirds of the time. */
const COMPILE_CACHE = join(root, 'out/compile-cache');

/** The command's own name behind the options of the whole program. */
const commandOf = (args) => args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '--lab');

function buildWindow(node, parts) {
  const done = childProcess().spawnSync(node, [join(root, 'electron/cli/build.ts'), ...parts], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0)
    fail('the window could not be built; the lines above say why. "npm run demo" works without it.');
}

/** Starts a program and ends as it ends. */
function runProgram(node, program, cwd) {
  const child = childProcess().spawn(node, program, { cwd, stdio: 'inherit' });
  // A terminal sends Ctrl-C to the child as well, which stops in good order; this program waits for that.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP')); // it goes on, and so do we, who wait for it
  child.on('error', (error) => fail(`${error.message}; run "npm run setup" and try again.`));
  child.on('exit', (code, signal) => {
    // What was asked to end says so itself, where it can.
    if (signal !== null && !['SIGINT', 'SIGTERM', 'SIGHUP'].includes(signal))
      process.stderr.write(
        `anchor: the program was ended by ${signal} before it could say why: memory, or a limit that "ulimit -a" shows, may have run out. What was stored before is kept; raise the limit or free memory, then start it again.\n`,
      );
    process.exit(code ?? 1);
  });
}

/** Whether this process runs on that Node, so that a command need not start another one. */
const isThisNode = (node) => realpathSync(node) === realpathSync(process.execPath);

const args = process.argv.slice(2);
const own = PROGRAMS[args[0]];
const isTest = ['test', 'torture', 'mutants', 'shots'].includes(args[0]);
// They wait for the network and the disk in turn, so they wait beside each other.
await Promise.all([
  setUpNodePackages(),
  setUpPython().then(() => (isTest ? setUpPythonTests() : undefined)),
  setUpSystemPackages(isTest),
]);
if (args[0] !== 'setup') {
  const node = findNode();
  process.env.PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  const anchor = join(root, 'electron/cli/anchor.ts');
  const needed = own ? undefined : NEEDED_PARTS[commandOf(args)];
  if (needed !== undefined) buildWindow(node, needed);
  if (own) runProgram(own.endsWith('.py') ? VENV_PYTHON : node, [join(root, own), ...args.slice(1)], root);
  else if (isThisNode(node)) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv[1] = anchor;
    await import(pathToFileURL(anchor));
  } else runProgram(node, [anchor, ...args], process.cwd());
}
