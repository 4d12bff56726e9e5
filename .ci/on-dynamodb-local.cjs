/*
 * Starts DynamoDB Local, runs the command that the arguments name with `--endpoint URL` after it, and
 * ends with its exit code.
 */
require('ts-node/register');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { startDynamoDBLocal } = require('../spec/support/engines/dynamodb-local.ts');

async function main([command, ...args]) {
  const engine = await startDynamoDBLocal();
  try {
    const child = spawn(command, [...args, '--endpoint', engine.endpoint], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } finally {
    await engine.stop();
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
