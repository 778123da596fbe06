import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Allowed dependencies by tag. Each project.json declares its tags, which mirror the folders. */
const BOUNDARIES = [
  { sourceTag: 'domain:primitives', onlyDependOnLibsWithTags: ['domain:primitives'] },
  { sourceTag: 'domain:poseidon', onlyDependOnLibsWithTags: ['domain:primitives'] },
  { sourceTag: 'domain:chain', onlyDependOnLibsWithTags: ['domain:primitives'] },
  { sourceTag: 'domain:events', onlyDependOnLibsWithTags: ['domain:primitives', 'domain:chain'] },
  { sourceTag: 'domain:trees', onlyDependOnLibsWithTags: ['domain:primitives', 'domain:chain', 'domain:poseidon'] },
  {
    sourceTag: 'domain:state',
    onlyDependOnLibsWithTags: ['domain:primitives', 'domain:chain', 'domain:events', 'domain:trees', 'domain:poseidon'],
  },
  {
    sourceTag: 'type:domain',
    onlyDependOnLibsWithTags: ['type:domain'],
    bannedExternalImports: ['@nestjs/*', 'pg', 'typeorm', 'ioredis', 'kafkajs', 'fastify', 'pino'],
  },
  { sourceTag: 'type:contract', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:platform', onlyDependOnLibsWithTags: ['domain:primitives'] },
  { sourceTag: 'type:config', onlyDependOnLibsWithTags: ['type:domain', 'type:platform'] },
  { sourceTag: 'type:generator', onlyDependOnLibsWithTags: ['type:domain'] },
  { sourceTag: 'type:demo', onlyDependOnLibsWithTags: ['type:domain', 'type:adapter', 'type:generator'] },
  {
    sourceTag: 'type:adapter',
    onlyDependOnLibsWithTags: ['type:domain', 'type:contract', 'type:platform', 'adapter:store-schema'],
  },
  {
    sourceTag: 'type:feature',
    onlyDependOnLibsWithTags: ['type:domain', 'type:contract', 'type:platform', 'type:adapter'],
    bannedExternalImports: ['kafkajs', 'pg', 'typeorm', 'ioredis'],
  },
  // For programs of others, and for the explorer: both run in browsers.
  { sourceTag: 'type:client', onlyDependOnLibsWithTags: ['type:client'] },
  { sourceTag: 'type:explorer', onlyDependOnLibsWithTags: ['type:client', 'type:contract'] },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: [
      'type:feature',
      'type:adapter',
      'type:platform',
      'type:config',
      'type:contract',
      'type:domain',
      'type:generator',
      'type:demo',
    ],
  },
];

/** Projects may depend on each other through specs. dependency-cruiser rules out circles of files. */
const ALLOWED_PROJECT_CIRCLES = [
  ['tag:type:testing', '*'],
  ['tag:type:adapter', 'tag:type:feature'],
  ['tag:type:domain', 'tag:type:generator'],
];

const USE_TIME = 'Use @fresnel/platform/time: a simulation replaces its clock and timers.';

/** Clocks and timers of Node that product code does not use. */
const SYSTEM_TIME = {
  'no-restricted-globals': [
    'error',
    ...['performance', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'].map((name) => ({
      name,
      message: USE_TIME,
    })),
  ],
  'no-restricted-imports': [
    'error',
    {
      paths: ['timers', 'timers/promises'].map((name) => ({
        name: `node:${name}`,
        importNames: ['default', 'setTimeout', 'setInterval', 'scheduler'],
        message: USE_TIME,
      })),
    },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: USE_TIME },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: USE_TIME },
    {
      selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
      message: USE_TIME,
    },
  ],
};

export default defineConfig(
  globalIgnores([
    'dist/',
    'node_modules/',
    '.nx/',
    'coverage/',
    '.fresnel/',
    'libs/*/*/generated/',
    'libs/client/generated/',
  ]),
  tseslint.configs.base,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: [],
          depConstraints: BOUNDARIES,
          ignoredCircularDependencies: ALLOWED_PROJECT_CIRCLES,
          // Commands load libraries lazily, so that --help is fast. Other files import the same libraries statically.
          checkDynamicDependenciesExceptions: ['.*'],
        },
      ],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A declaration of what a package does not type is found from every project.
      '@typescript-eslint/triple-slash-reference': ['error', { path: 'always' }],
      // Some libraries declare option objects as classes. Callers pass literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only libs/platform/config.ts reads environment variables. Use readConfig.',
        },
      ],
    },
  },
  {
    files: ['libs/platform/config.ts', 'libs/testing/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['libs/{adapters,config,contracts,domain,features,platform}/**/*.ts', 'apps/**/*.ts'],
    ignores: [
      '**/*.{spec,int-spec,e2e-spec,slow-spec,prover-spec,contract,bench}.ts',
      'libs/platform/time/time.ts',
      // Processes and the event loop, which a simulation does not replace.
      'libs/adapters/local-servers/**/*.ts',
      'libs/platform/{event-loop-delay,shutdown,supervised-process}.ts',
      'apps/stack/service-process.ts',
      // It runs in browsers.
      'apps/explorer/**',
    ],
    rules: SYSTEM_TIME,
  },
  {
    // Values and rules. The optional library of Poseidon is a file.
    files: ['libs/domain/**/*.ts'],
    ignores: ['**/*.{spec,bench}.ts', 'libs/domain/poseidon/native-module.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^node:(?!(crypto|zlib)$)', message: 'The domain has no I/O, clock or processes.' }] },
      ],
    },
  },
  {
    // Only test code may import the testing libraries.
    files: ['**/*.{spec,int-spec,e2e-spec,slow-spec,prover-spec,contract,bench}.ts', 'libs/testing/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  prettier,
);
