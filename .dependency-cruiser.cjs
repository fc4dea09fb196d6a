/** Dependencies point one way: services -> libs, contracts -> zod alone. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-service-to-service',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/([^/]+)/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-services',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(services|tools|tests|bench)/' },
    },
    {
      name: 'production-code-knows-no-tests',
      severity: 'error',
      from: { path: '^(libs|services|tools)/', pathNot: '(\\.(test|contract|fixture)\\.ts$|^libs/testing/)' },
      to: { path: '(\\.(test|fixture)\\.ts$|^libs/testing/|^tests/|^bench/)' },
    },
    {
      name: 'contracts-are-zod-alone',
      severity: 'error',
      from: { path: '^libs/contracts/src', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(libs/contracts/src|node_modules/.*zod)' },
    },
    {
      name: 'gateway-has-no-database',
      comment: 'The gateway holds no domain state (ARCHITECTURE.md).',
      severity: 'error',
      from: { path: '^services/gateway/', pathNot: '\\.test\\.ts$' },
      to: { path: '(node_modules/pg/|^libs/(event-store|processing)/)' },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/bundle/|/golden/)' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
