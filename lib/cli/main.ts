import { run } from './run.js';

/*
 * The program behind `npx mayfly-idempotency`. The exit code is set, not forced, so that what was
 * written reaches a pipe; a reader that closes the pipe early (`| head`) is no failure.
 */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

void run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errIsTty: process.stderr.isTTY,
  env: process.env,
  now: () => Date.now(),
}).then((code) => {
  process.exitCode = code;
});
