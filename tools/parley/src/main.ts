import { createProgram } from './program.ts';
import { run } from './run.ts';

process.exitCode = await run(createProgram(), process.argv);
