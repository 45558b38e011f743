import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const layer = (sourceTag, ...allowed) => ({
  sourceTag: `layer:${sourceTag}`,
  onlyDependOnLibsWithTags: allowed.map((tag) => `layer:${tag}`),
});

const below = ['language', 'base'];
const roles = ['konnector', 'provider', 'syncagent'];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/tmp/**', '.nx/**', 'tools/**/template/**'] },
  {
    files: [
      'packages/**/*.ts',
      'apps/**/*.ts',
      'e2e/**/*.ts',
      'simulation/**/*.ts',
      'bench/**/*.ts',
      'examples/**/*.ts',
      'tools/**/*.ts',
    ],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { project: './tsconfig.tests.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'no-console': 'error',
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          allow: [],
          depConstraints: [
            // json and clock, which know nothing of Kubernetes.
            layer('base', 'base'),
            layer('language', 'language', 'base'),
            layer('runtime', 'runtime', ...below),
            layer('api', 'api', 'runtime', ...below),
            layer('konnector', 'konnector', 'api', 'runtime', ...below),
            layer('provider', 'provider', 'api', 'runtime', ...below),
            layer('syncagent', 'syncagent', 'api', 'runtime', ...below),
            layer('cli', 'cli', ...roles, 'api', 'runtime', ...below),
            layer('app', 'cli', ...roles, 'api', 'runtime', ...below),
            layer('emulator', 'emulator', 'testing', 'api', 'runtime', ...below),
            layer('testing', 'testing', 'emulator', 'api', 'runtime', ...below),
            // Runs the whole system.
            layer('system', 'app', 'cli', ...roles, 'testing', 'emulator', 'api', 'runtime', ...below),
          ],
        },
      ],
    },
  },
  {
    // Tests, and what stands in `src/testing` for them, may use the control planes, and may assert what they have just checked.
    files: [
      '**/*.test.ts',
      '**/src/testing/**/*.ts',
      'e2e/**/*.ts',
      'bench/**/*.ts',
      'examples/**/*.ts',
      'tools/**/*.ts',
    ],
    rules: {
      '@nx/enforce-module-boundaries': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-console': 'off',
    },
  },
  {
    files: ['packages/testing/**/*.ts', 'packages/emulator/**/*.ts', 'simulation/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', 'no-console': 'off' },
  },
  {
    // The shared build factory lies outside every project.
    files: ['**/tsup.config.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
);
