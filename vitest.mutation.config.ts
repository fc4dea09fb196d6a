import { defineConfig } from 'vitest/config';
import { pure, sources } from './vitest.config.ts';

/** The pure tests alone: Stryker's runner knows no projects. */
export default defineConfig({
  resolve: { alias: sources },
  test: { ...pure.test, include: ['{libs,services}/*/src/**/*.test.ts'] },
});
