const oldestNode = 24;

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(`parley needs Node ${oldestNode}; "npm start" and "npm run parley" get it.\n`);
  process.exitCode = 2;
} else {
  const { readKeysAsWritten } = await import('@parley/process-kit');
  readKeysAsWritten();
  const { writeWhole } = await import('./output/whole-writes.ts');
  writeWhole(process.stdout);
  const { createProgram } = await import('./program.ts');
  const { run } = await import('./run.ts');
  const { exitCodes } = await import('./exit-codes.ts');
  process.exitCode = await run(createProgram(), process.argv);
  // The client of NATS leaves its socket open to a server that hangs, and that would keep this process for ever.
  if (process.exitCode === exitCodes.unreachable) setTimeout(() => process.exit(), 1_000).unref();
}

export {};
