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
  process.exitCode = await run(createProgram(), process.argv);
}

export {};
