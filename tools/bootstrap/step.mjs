import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { checkoutRoot } from './checkout.mjs';

/** A sub-step ended badly; the message says which and carries its output. */
export class StepFailed extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
    this.isInterrupted = exitCode > 128;
  }
}

/** Runs a command quietly: one line of progress on stderr, its output only when it fails. */
export async function runStep({ doing, done, command, args, env = process.env, isQuiet = true }) {
  const progress = startProgress(doing);
  try {
    const { code, output } = await runQuietly(command, args, env);
    if (code !== 0) {
      throw new StepFailed(`${output.trimEnd()}\n${command} ${args.join(' ')} ended with ${code}.`, code);
    }
    progress.end(`✔ ${done}`, { always: !isQuiet });
  } catch (error) {
    progress.end(`✘ ${doing}: failed`, { always: true });
    throw error;
  }
}

/** Exit code and merged output of a command; it has no standard input, so it can never wait for an answer. */
function runQuietly(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: checkoutRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const settle = () => {
      for (const signal of signals) process.off(signal, interrupt);
    };
    const interrupt = (signal) => {
      settle();
      child.kill('SIGTERM');
      // What the command has started may hold the pipes open for longer than it lives itself.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(new StepFailed(`Interrupted by ${signal}.`, 128 + constants.signals[signal]));
    };
    for (const signal of signals) process.on(signal, interrupt);
    child.once('error', (error) => {
      settle();
      reject(new StepFailed(`${command} could not be started: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      settle();
      if (signal) reject(new StepFailed(`${command} was ended by ${signal}.`));
      else resolve({ code, output });
    });
  });
}

/** What takes less than this is not worth a line. */
const quietMs = 700;
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/** A spinner with the elapsed seconds on a terminal, else one line at the start and one at the end. */
function startProgress(doing) {
  const { stderr } = process;
  const startedAt = Date.now();
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  let ticks = 0;
  const tick = () => {
    if (stderr.isTTY) stderr.write(`\r\x1b[2K${frames[ticks % frames.length]} ${doing} … ${elapsed()}`);
    else if (ticks === 0) stderr.write(`  ${doing} …\n`);
    ticks += 1;
  };
  let timer = setTimeout(() => {
    tick();
    timer = setInterval(tick, 100);
  }, quietMs);
  return {
    end(line, { always = false } = {}) {
      clearTimeout(timer);
      if (stderr.isTTY && ticks > 0) stderr.write('\r\x1b[2K');
      if (always || ticks > 0) stderr.write(`${line} (${elapsed()})\n`);
    },
  };
}
